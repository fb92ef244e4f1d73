import {
  PAGE_ROWS_DEFAULT,
  PAGE_ROWS_MOST,
  PAGE_TOO_LARGE,
  pageNumberOf,
  pageSizeOf,
  pathIdOf,
  queryIntOf,
  queryTextOf,
} from '../http-contract/request-values.ts'
import { storableText } from '@tollgate/domain/text.ts'
import { z } from 'zod'

/** Query text that can be stored; missing = ''. */
export const queryText = () => z.preprocess(queryTextOf, z.string())

/** Query number; absent or unparsable = 0. */
export const queryInt = () => z.preprocess(queryIntOf, z.int())

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
