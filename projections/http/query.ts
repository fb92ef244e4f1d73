import { z } from 'zod'
import { withoutNul } from '../runner/columns.ts'

/** Query text; missing = '', the first of several. */
export const queryText = () =>
  z.preprocess((value) => first(value) ?? '', z.string().transform(withoutNul))

/** Query number: absent or unparsable (`NaN`, `1.5`, ``) = 0 (console-api 1.2). */
export const queryInt = () =>
  z.preprocess((value) => {
    const written = first(value)
    const number = typeof written === 'string' && /^[+-]?\d+$/.test(written) ? Number(written) : 0
    return Number.isSafeInteger(number) ? number : 0
  }, z.int())

/** 1, t, T, true, TRUE, True are true; everything else is false (console-api 1.2). */
export const queryFlag = () =>
  z.preprocess((value) => {
    const written = first(value)
    return typeof written === 'string' && TRUE_TEXTS.has(written)
  }, z.boolean())

const TRUE_TEXTS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** The number in a path such as /api/token/12; a text that is none is refused by name. */
export const idInPath = z.object({
  id: z.string().transform((written, context) => {
    if (/^[+-]?\d{1,15}$/.test(written)) return Number(written)
    context.addIssue({ code: 'custom', message: `id 不是有效的数字: ${JSON.stringify(written)}` })
    return z.NEVER
  }),
})

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

/** Most rows of one page: beyond it a client asks for the next page. */
export const PAGE_SIZE_MOST = 1_000
const PAGE_SIZE_DEFAULT = 10

/** A page size as asked for: none or negative = 10 (console-api 2.5, 2.7, 2.10). */
export const pageSize = (asked: number, most = PAGE_SIZE_MOST): number =>
  asked <= 0 ? PAGE_SIZE_DEFAULT : Math.min(asked, most)
