import { storableText } from '../text.ts'

/**
 * Values of query strings and paths as the console's API reads them, whichever package serves the route: lenient, the
 * first of several, never a failure but where said (console-api 1.2). Schemas at the edges wrap these.
 */

/** Text that can be stored; missing = ''. */
export function queryTextOf(value: unknown): string {
  const written = first(value)
  return typeof written === 'string' ? storableText(written) : ''
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

/** The number in a path such as /api/token/12, or what to say of a text that is none. */
export const pathIdOf = (written: string): { readonly id: number } | { readonly unfit: string } =>
  /^[+-]?\d{1,15}$/.test(written)
    ? { id: Number(written) }
    : { unfit: `id 不是有效的数字: ${JSON.stringify(written)}` }

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
