/**
 * Values of query strings and paths as the console's API reads them, whichever package serves the route: lenient, the
 * first of several, never a failure but where said (console-api 1.2). Schemas at the edges wrap these.
 */

/**
 * Text to look for; missing = ''. Characters that no stored text can hold stand as U+FFFD: a filter of nothing else
 * finds nothing, and is not taken for one that was not given.
 */
export function queryTextOf(value: unknown): string {
  const written = first(value)
  return typeof written === 'string' ? written.replaceAll('\u0000', '\ufffd').toWellFormed() : ''
}

/** Whole number; absent, unparsable (`NaN`, `1.5`, ``) or beyond 2^53 = 0. */
export function queryIntOf(value: unknown): number {
  const written = first(value)
  const number = typeof written === 'string' && /^[+-]?\d+$/.test(written) ? Number(written) : 0
  return Number.isSafeInteger(number) ? number : 0
}

/** 1, t, T, true, TRUE, True are true; everything else is false. */
export function queryFlagOf(value: unknown): boolean {
  const written = first(value)
  return typeof written === 'string' && TRUE_TEXTS.has(written)
}

const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** The number in a path such as /api/token/12, or the message for a text that is none. */
export const pathIdOf = (written: string): { readonly id: number } | { readonly invalid: string } =>
  /^[+-]?\d{1,15}$/.test(written)
    ? { id: Number(written) }
    : { invalid: `id 不是有效的数字: ${JSON.stringify(written)}` }

/** Rows of a page when none or no sensible number was asked for (console-api 2.5, 2.7, 2.9, 2.10). */
export const PAGE_ROWS_DEFAULT = 10
/**
 * Most rows of a page of any list to which the contract gives no bound of its own; some 10 MB of answer. Scripts of old
 * ask for everything: a larger page is refused with a message, not cut.
 */
export const PAGE_ROWS_MOST = 10_000
export const PAGE_TOO_LARGE = `每页最多 ${PAGE_ROWS_MOST} 条，请减小 page_size 并分页查询`

/** Rows of a page as asked for: absent, unparsable, 0 or negative = 10. */
export function pageSizeOf(value: unknown): number {
  const asked = queryIntOf(value)
  return asked <= 0 ? PAGE_ROWS_DEFAULT : asked
}

/** Number of a page as asked for; absent or unparsable = 0. */
export const pageNumberOf = (value: unknown): number => Math.min(queryIntOf(value), PAGES_MOST)

/** No list is so long, and times the rows of a page it is still a number of rows that PostgreSQL can skip. */
const PAGES_MOST = 1_000_000_000

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
