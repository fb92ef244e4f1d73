/** PostgreSQL's text has no NUL: it is dropped. */
export const withoutNul = (written: string): string =>
  written.includes('\u0000') ? written.replaceAll('\u0000', '') : written

/**
 * A text from outside as it can be stored and found again: without NUL, and lone surrogates as U+FFFD, which neither
 * UTF-8 nor PostgreSQL's JSON can hold.
 */
export const storableText = (written: string): string => withoutNul(written).toWellFormed()
