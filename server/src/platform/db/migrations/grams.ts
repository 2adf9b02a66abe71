/**
 * Substring search on names. The index contains all sequences of three characters, in hexadecimal, and the shorter ones
 * at the end: the start of any search text is the start of one of these. PostgreSQL has the function `svc_grams` for
 * it; in SQLite it is this expression. An array of as many zeros as there are characters replaces a series, which
 * SQLite lacks.
 */
export const sqliteGrams = (text: string): string => `select group_concat(distinct hex(substr(${text}, n.key + 1, 3)))
    from json_each('[' || substr(replace(hex(zeroblob(length(${text}))), '00', ',0'), 2) || ']') n`;
