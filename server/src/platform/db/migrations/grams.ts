/**
 * Whatever has a name is found by any part of it. The index has every three characters in a row, in hexadecimal, and at the
 * end what is shorter: whatever is searched, its characters stand at the beginning of some of these. PostgreSQL has a
 * function for it, `svc_grams`; in SQLite it is this text, over an expression of a row. An array of as many zeros as there
 * are characters stands for a series, which SQLite has not.
 */
export const sqliteGrams = (text: string): string => `select group_concat(distinct hex(substr(${text}, n.key + 1, 3)))
    from json_each('[' || substr(replace(hex(zeroblob(length(${text}))), '00', ',0'), 2) || ']') n`;
