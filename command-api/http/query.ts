import { z } from 'zod'

/** Query text; missing = '', the first of several. */
export const queryText = () => z.preprocess((value) => first(value) ?? '', z.string())

/** Query number: absent or unparsable (`NaN`, `1.5`, ``) = 0 (console-api 1.2). */
export const queryInt = () =>
  z.preprocess((value) => {
    const written = first(value)
    const number = typeof written === 'string' && /^[+-]?\d+$/.test(written) ? Number(written) : 0
    return Number.isSafeInteger(number) ? number : 0
  }, z.int())

/** The number in a path such as /api/token/12; a text that is none is refused by name. */
export const idInPath = z.object({
  id: z.string().transform((written, context) => {
    if (/^[+-]?\d{1,15}$/.test(written)) return Number(written)
    context.addIssue({ code: 'custom', message: `id 不是有效的数字: ${JSON.stringify(written)}` })
    return z.NEVER
  }),
})

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
