import { addressWithoutSecrets } from '../../src/internal/address';

test.each([
  ['https://a.example/soap/v1.asmx?apikey=SECRET', 'https://a.example/soap/v1.asmx?apikey=***'],
  ['https://a.example?k=SECRET&wsdl', 'https://a.example?k=***&wsdl'],
  ['https://a.example/?SECRET', 'https://a.example/?***'],
  ['https://a.example/?a=1=SECRET;b=SECRET', 'https://a.example/?a=***&b=***'],
  ['https://a.example/#SECRET', 'https://a.example/?***'],
  ['https://a.example/?wsdl#SECRET', 'https://a.example/?wsdl&***'],
  ['https://a.example/?wsdl=SECRET', 'https://a.example/?wsdl=***'],
  ['https://user:SECRET@a.example/?wsdl', 'https://a.example/?wsdl'],
  ['https://a.example/?xsd=xsd0', 'https://a.example/?xsd=xsd0'],
  ['https://a.example/?xsd=types.xsd', 'https://a.example/?xsd=types.xsd'],
  ['https://a.example/?singleWsdl', 'https://a.example/?singleWsdl'],
  ['https://a.example/?tenant=7&x=%3D&wsdl', 'https://a.example/?tenant=7&x=%3D&wsdl'],
  ['https://a.example/path', 'https://a.example/path'],
  ['not an address', 'not an address'],
])('the address %s is shown as %s', (address, shown) => {
  expect(addressWithoutSecrets(address)).toBe(shown);
});
