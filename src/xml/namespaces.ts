export const XSI_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';
export const XSD_NAMESPACE = 'http://www.w3.org/2001/XMLSchema';

/** The characters of a service's namespace: visible ASCII without quotation marks, for the quoted SOAPAction header. */
export const namespacePattern = /^[\x21\x23-\x7e]+$/;
