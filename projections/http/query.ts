import { instantOf } from '@tollgate/command-api/http-contract/instant.ts'
import {
  PAGE_ROWS_DEFAULT,
  PAGE_ROWS_MOST,
  PAGE_TOO_LARGE,
  pageNumberOf,
  pageSizeOf,
  pathIdOf,
  queryFlagOf,
  queryIntOf,
  queryTextOf,
} from '@tollgate/command-api/http-contract/request-values.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'

/** Query text that can be stored; missing = ''. */
export const queryText = () => z.preprocess(queryTextOf, z.string())

/** Query number; absent or unparsable = 0. */
export const queryInt = () => z.preprocess(queryIntOf, z.int())

/** Query flag; what is not a word for true is false. */
export const queryFlag = () => z.preprocess(queryFlagOf, z.boolean())

/**
 * A moment in unix milliseconds; absent = null, and what is none is refused by the name of the parameter. `meaning` says
 * what the moment is for.
 */
export const queryInstant = (name: string, meaning: string) =>
  z
    .preprocess(
      queryTextOf,
      z.string().transform((written, context) => {
        if (written.trim() === '') return null
        const at = instantOf(written)
        if (at !== null) return at
        context.addIssue({ code: 'custom', message: instantProblem(name) })
        return z.NEVER
      }),
    )
    .meta({
      type: 'string',
      description: `${meaning}. RFC 3339 with a zone, or unix milliseconds`,
    })

const instantProblem = (name: string): string =>
  `参数 ${name} 不是有效的时间：请使用带时区的 RFC 3339 时间（如 2026-10-01T00:00:00+08:00）或 unix 毫秒`

/** Number of a page, counted from `first`; absent or unparsable = 0, which lists read as their first. */
export const queryPage = (first: 0 | 1) =>
  z
    .preprocess(pageNumberOf, z.int())
    .describe(`Number of the page, from ${first}; default ${first}`)

/** Rows of a page; by default 10, and more than a page may have is refused by name. */
export const queryPageSize = () =>
  z
    .preprocess(
      pageSizeOf,
      z.int().max(PAGE_ROWS_MOST, PAGE_TOO_LARGE).meta({ default: PAGE_ROWS_DEFAULT }),
    )
    .describe('Rows of a page; 0 or less is read as the default')

/** The same where the contract has a bound of its own: more is read as that many. */
export const queryPageSizeUpTo = (most: number) =>
  z.preprocess(
    (asked) => Math.min(pageSizeOf(asked), most),
    z.int().meta({
      default: PAGE_ROWS_DEFAULT,
      description: `Rows of a page. At most ${most}: more is read as ${most}`,
    }),
  )

/** The number in a path such as /api/token/12; a text that is none is refused by name. */
export const idInPath = (description: string) =>
  z.object({
    id: z
      .string()
      .transform((written, context) => {
        const read = pathIdOf(written)
        if ('id' in read) return read.id
        context.addIssue({ code: 'custom', message: read.invalid })
        return z.NEVER
      })
      .pipe(z.int())
      .describe(description),
  })

/** The name in a path such as /api/audit/jobs/…, as text that can be stored. */
export const textInPath = (description: string) =>
  z.object({ id: z.string().overwrite(storableText).describe(description) })
