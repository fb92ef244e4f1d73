import {
  pathIdOf,
  queryFlagOf,
  queryIntOf,
  queryTextOf,
} from '@tollgate/domain/ports/wire-values.ts'
import { z } from 'zod'

/** Query text that can be stored; missing = ''. */
export const queryText = () => z.preprocess(queryTextOf, z.string())

/** Query number; absent or unparsable = 0. */
export const queryInt = () => z.preprocess(queryIntOf, z.int())

/** Query flag; what is not a word for true is false. */
export const queryFlag = () => z.preprocess(queryFlagOf, z.boolean())

/** The number in a path such as /api/token/12; a text that is none is refused by name. */
export const idInPath = z.object({
  id: z
    .string()
    .transform((written, context) => {
      const read = pathIdOf(written)
      if ('id' in read) return read.id
      context.addIssue({ code: 'custom', message: read.unfit })
      return z.NEVER
    })
    .pipe(z.int()),
})

/** Most rows of one page: beyond it a client asks for the next page. */
export const PAGE_SIZE_MOST = 1_000
const PAGE_SIZE_DEFAULT = 10

/** A page size as asked for: none or negative = 10 (console-api 2.5, 2.7, 2.10). */
export const pageSize = (asked: number, most = PAGE_SIZE_MOST): number =>
  asked <= 0 ? PAGE_SIZE_DEFAULT : Math.min(asked, most)
