/** Headers that belong to the connection or frame the message (RFC 9110, sections 7.6.1 and 10.1.1; RFC 9112, section 6). */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'http2-settings', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);
