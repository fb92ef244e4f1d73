import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/**
 * The message for a new group that has no ratio, and so does not exist; null when the group may be set. A group that
 * stays as it was is allowed, also when it is gone by now; '' = the owner's own.
 */
export function groupProblem(options: OptionsView, from: string, to: string): string | null {
  if (to === from || to === '' || options.table('GroupRatio').has(to)) return null
  return `分组 ${to} 不存在，请重新选择`
}
