import { z } from 'zod'
import { queryText } from '../http/query.ts'

/** Formats of the files in an archive: one or several of `known`, joined by commas, in the order of `known`. */
export const queryFormats = <Format extends string>(known: readonly Format[], remark = '') =>
  queryText()
    .transform((written, context): readonly Format[] => {
      const named = new Set(written.split(','))
      const formats = known.filter((format) => named.has(format))
      if (formats.length > 0 && formats.length === named.size) return formats
      const message = `参数 format 只能是 ${known.join('、')}，多个用逗号分隔`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .meta({
      type: 'string',
      pattern: `^(${known.join('|')})(,(${known.join('|')}))*$`,
      description: `Formats of the files, joined by commas: ${known.join(', ')}${remark}`,
    })
