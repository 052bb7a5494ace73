import {
  areShared,
  beginsWithZero,
  digitsIn,
  furtherDigits,
  receptorLikeness,
  textLikeness,
} from '../../src/messages/person';

const isOnePerson = (one: string, other: string) =>
  receptorLikeness(one) === receptorLikeness(other) &&
  areShared(digitsIn(furtherDigits(one)), digitsIn(furtherDigits(other)));

const one = true;
const two = false;

test.each<[country: string, one: string, other: string, isOne: boolean]>([
  ['Iran', '09121234567', '+989121234567', one],
  ['Iran', '09121234567', '00989121234567', one],
  ['Iran', '09121234567', '9121234567', one],
  ['Iran', '09121234567', '۰۹۱۲۱۲۳۴۵۶۷', one],
  ['Iran', '0912 123 4567', '(0912) 123-4567', one],
  ['Iran', '\u200e+98 912 123 4567', '09121234567', one],
  ['Iran', '09121234567', '09131234567', two],
  ['Iran', '09121234567', '09351234567', two],
  ['Iran', '+982112345678', '02112345678', one],
  ['Iran', '02112345678', '02612345678', two],
  ['United States', '2125551234', '+12125551234', one],
  ['United States', '(212) 555-1234', '1 212 555 1234', one],
  ['United States', '2125551234', '3125551234', two],
  ['United States', '5551234', '2125551234', one],
  ['Germany', '0151 23456789', '+49 151 23456789', one],
  ['Germany', '0049 151 23456789', '015123456789', one],
  ['Germany', '015123456789', '017123456789', two],
  ['Germany', '03012345678', '+493012345678', one],
  ['France', '06 12 34 56 78', '+33 6 12 34 56 78', one],
  ['France', '0612345678', '0712345678', two],
  ['France', '0612345678', '0033612345678', one],
  ['United Kingdom', '07700 900123', '+447700900123', one],
  ['United Kingdom', '07700900123', '07800900123', two],
  ['United Kingdom', '020 7946 0018', '+44 20 7946 0018', one],
  ['Turkey', '0532 123 45 67', '+90 532 123 45 67', one],
  ['Turkey', '05321234567', '05331234567', two],
  ['United Arab Emirates', '050 123 4567', '+971 50 123 4567', one],
  ['United Arab Emirates', '0501234567', '0551234567', two],
  ['Saudi Arabia', '0501234567', '966501234567', one],
  ['Saudi Arabia', '0501234567', '0531234567', two],
  ['Iraq', '0790 123 4567', '+964 790 123 4567', one],
  ['Iraq', '07901234567', '07701234567', two],
  ['Afghanistan', '070 123 4567', '+93 70 123 4567', one],
  ['Afghanistan', '0701234567', '0791234567', two],
  ['Pakistan', '0301 2345678', '+92 301 2345678', one],
  ['Pakistan', '03012345678', '03332345678', two],
  ['India', '98765 43210', '+91 98765 43210', one],
  ['India', '098765 43210', '+919876543210', one],
  ['India', '9876543210', '9976543210', two],
  ['China', '138 1234 5678', '+86 138 1234 5678', one],
  ['China', '13812345678', '13912345678', two],
  ['Japan', '090-1234-5678', '+81 90-1234-5678', one],
  ['Japan', '09012345678', '08012345678', two],
  ['Russia', '8 912 345-67-89', '+7 912 345-67-89', one],
  ['Russia', '89123456789', '89133456789', two],
  ['Brazil', '(11) 91234-5678', '+55 11 91234-5678', one],
  ['Brazil', '011 91234 5678', '+5511912345678', one],
  ['Brazil', '11912345678', '21912345678', one],
  ['Italy', '312 345 6789', '+39 312 345 6789', one],
  ['Italy', '06 1234567', '+39 06 1234567', one],
  ['Italy', '3123456789', '3133456789', two],
  ['Spain', '612 34 56 78', '+34 612 34 56 78', one],
  ['Spain', '612345678', '712345678', two],
  ['Netherlands', '06 12345678', '+31 6 12345678', one],
  ['Netherlands', '0612345678', '0612345679', two],
  ['Sweden', '070-123 45 67', '+46 70 123 45 67', one],
  ['Sweden', '0701234567', '0721234567', two],
  ['Norway', '412 34 567', '+47 412 34 567', one],
  ['Norway', '41234567', '91234567', two],
  ['Kuwait', '5123 4567', '+965 5123 4567', one],
  ['Kuwait', '51234567', '61234567', two],
  // Three countries whose two forms differ before the last seven digits.
  ['Argentina', '011 15 2345-6789', '+54 9 11 2345-6789', two],
  ['Turkmenistan', '8 65 123456', '+993 65 123456', two],
  ['Belarus', '8 029 123 45 67', '+375 29 123 45 67', two],
  ['nowhere', '12345', '12345', one],
  ['nowhere', '12345', '012345', two],
  ['nowhere', 'group-a', 'group-b', two],
  ['nowhere', '09121234567 ext 12', '09121234567 ext 12', one],
])('%s: %s and %s', (_, first, second, isOne) => {
  expect(isOnePerson(first, second)).toBe(isOne);
  expect(isOnePerson(second, first)).toBe(isOne);
});

test('a zero at the beginning is remembered, and does not distinguish', () => {
  expect(
    ['09121234567', '9121234567', '+989121234567', 'abc'].map((each) => beginsWithZero(furtherDigits(each))),
  ).toEqual([true, false, false, false]);
});

test('further digits fit into 16 bits', () => {
  for (const receptor of ['', '0'.repeat(20), '9'.repeat(40), '٠١٢٣٤٥٦٧٨٩', 'é', '0999999999'])
    expect(furtherDigits(receptor)).toBeLessThan(1 << 16);
});

test('texts are one when only blanks, invisible characters, composition and scripts of digits differ', () => {
  expect(textLikeness('سلام \u200f۱۲')).toBe(textLikeness('سلام12'));
  expect(textLikeness('cafe\u0301')).toBe(textLikeness('café'));
  expect(textLikeness('Hello')).not.toBe(textLikeness('hello'));
});
