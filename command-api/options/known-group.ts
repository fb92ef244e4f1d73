import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/**
 * Why somebody or something may not be put into a group: it has no ratio, so there is none of this name. A group that stays
 * as it was is nobody's mistake of now, also when it is gone by now; '' = the owner's own.
 */
export function groupProblem(options: OptionsView, from: string, to: string): string | null {
  if (to === from || to === '' || options.table('GroupRatio').has(to)) return null
  return `分组 ${to} 不存在，请重新选择`
}
