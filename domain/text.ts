/** PostgreSQL's text has no NUL: it is dropped. */
export const withoutNul = (written: string): string =>
  written.includes('\u0000') ? written.replaceAll('\u0000', '') : written

/**
 * A text from outside as it can be stored and found again: without NUL, and lone surrogates as U+FFFD, which neither
 * UTF-8 nor PostgreSQL's JSON can hold.
 */
export const storableText = (written: string): string => withoutNul(written).toWellFormed()

/** Every control character but tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/gu
/** The first half of a character that the cut has parted from its second. */
const HALF_AT_END = /[\ud800-\udbff]$/

/**
 * A text of a client or an upstream in a form that an event, a log row or a log line may hold: storable, without
 * control characters but tab and line feed, at most `charactersMax` UTF-16 units. Every such text passes through here
 * before it is written into an event.
 */
export const foreignText = (written: string, charactersMax: number): string =>
  withoutControls(written.slice(0, charactersMax).replace(HALF_AT_END, '')).toWellFormed()

/** Without control characters but tab and line feed. */
export const withoutControls = (written: string): string => written.replaceAll(CONTROL, '')

/**
 * Without these characters at its end. An expression such as `/x+$/` would look at every run of them again from each of
 * its characters.
 */
export function withoutTrailing(written: string, characters: string): string {
  let end = written.length
  while (end > 0 && characters.includes(written.charAt(end - 1))) end -= 1
  return written.slice(0, end)
}

/** Without these characters at its beginning. */
export function withoutLeading(written: string, characters: string): string {
  let start = 0
  while (start < written.length && characters.includes(written.charAt(start))) start += 1
  return written.slice(start)
}

/** Control and format characters, separators of lines, and letters that show nothing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/u

/** Whether a name may not be one: it breaks lines, reorders text, or looks like another without being it. */
export const isNameHidden = (name: string): boolean => HIDDEN.test(name)

/** The contract's message on such a name; null when it may be one. */
export const hiddenNameProblem = (label: string, name: string): string | null =>
  isNameHidden(name) ? `${label}不能包含换行、控制字符或不可见字符` : null
