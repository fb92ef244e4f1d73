import type { ListedUser, SessionUser } from '../../core/contract.ts'
import { ROLE_ADMIN, ROLE_ROOT } from '../../core/contract.ts'

/** An action of the API on a user's rights. */
export type ManageAction = 'promote' | 'demote' | 'disable' | 'enable' | 'delete'
/** An action on one user. */
export type UserAction = ManageAction | 'edit' | 'log'

/**
 * The actions that the viewer's role allows on a user, in order. A deleted user allows none. A user of the same or a
 * higher level allows only the log, unless the viewer is a super administrator. Only the super administrator makes
 * administrators, and is never disabled, demoted or deleted (seeds, section 6). A user of status 3 is not enabled, and
 * enabling it is not offered (seeds, section 4).
 */
export function userActions(
  user: Pick<ListedUser, 'DeletedAt'> & { readonly role: number; readonly status: number },
  viewerRole: number,
): readonly UserAction[] {
  if (user.DeletedAt !== null) return []
  const isRoot = viewerRole >= ROLE_ROOT
  if (user.role >= ROLE_ROOT) return isRoot ? ['edit', 'log'] : ['log']
  if (!isRoot && user.role >= viewerRole) return ['log']
  const rights: readonly UserAction[] = !isRoot
    ? []
    : user.role >= ROLE_ADMIN
      ? ['demote']
      : ['promote']
  const switched: readonly UserAction[] =
    user.status === 1 ? ['disable'] : user.status === 2 ? ['enable'] : []
  return ['edit', 'log', ...rights, ...switched, 'delete']
}

/**
 * True where the viewer sees and ends a user's sessions: of those below, a super administrator of everyone. One's own
 * are on the page of personal settings.
 */
export function seesSessions(
  user: Pick<ListedUser, 'id' | 'role' | 'DeletedAt'>,
  viewer: Pick<SessionUser, 'id' | 'role'> | null,
): boolean {
  if (viewer === null || user.DeletedAt !== null || user.id === viewer.id) return false
  return viewer.role >= ROLE_ROOT || user.role < viewer.role
}
