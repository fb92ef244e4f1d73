import type { OptionsView } from './options.ts'

/** The group of a visitor who is not signed in. */
export const VISITOR_GROUP = ''

/**
 * The groups that a user of `userGroup` may run requests in, with their descriptions: those of UserUsableGroups, and
 * always the user's own. A visitor sees `default` too (console-api 2.4a).
 */
export function usableGroups(options: OptionsView, userGroup: string): ReadonlyMap<string, string> {
  const groups = new Map(
    [...options.table('UserUsableGroups')].map(([group, text]) => [group, String(text)] as const),
  )
  if (!groups.has(userGroup)) groups.set(userGroup, '用户分组')
  if (userGroup === VISITOR_GROUP && !groups.has('default')) groups.set('default', 'default')
  return groups
}
