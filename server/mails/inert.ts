/** Makes typed text harmless in an email: inserts a space wherever an email client would detect a link. */
export const inert = (typed: string) =>
  typed
    // Line breaks of every kind.
    .replaceAll(/\r\n?|[\v\f\u0085\p{Zl}\p{Zp}]/gu, '\n')
    .replaceAll(/\t/g, ' ')
    // Control characters, and marks that reverse the direction of reading.
    .replaceAll(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    // t.me/x, www.example.com
    .replaceAll(/[.。．｡](?=\p{Cf}{0,9}[\p{L}\p{M}])/gu, '$& ')
    // 192.0.2.1
    .replaceAll(/(?<=\d)\.(?=\d{1,3}\.\d)/g, '. ')
    // https:, mailto:, tel:
    .replaceAll(/(?<=\p{L}):(?=\S)/gu, ': ')
    // //example, \\server
    .replaceAll(/[/\\](?=[/\\])/g, '$& ')
    .replaceAll(/@(?=\S)/g, '@ ')

export const inertLine = (typed: string) => inert(typed).replaceAll(/\s*\n\s*/g, ' ')
