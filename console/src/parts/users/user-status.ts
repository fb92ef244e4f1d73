import type { ListedUser } from '../../core/contract.ts'
import { ROLE_ADMIN, ROLE_ROOT } from '../../core/contract.ts'
import type { Tone } from '../tag.tsx'

/** How a user stands: deleted goes before everything else; any status but 1 is not enabled (seeds, section 4). */
export function userStatus({
  status,
  DeletedAt,
}: Pick<ListedUser, 'DeletedAt'> & {
  readonly status: number
}): {
  readonly name: 'active' | 'banned' | 'off' | 'deleted'
  readonly tone: Tone
} {
  if (DeletedAt !== null) return { name: 'deleted', tone: 'bad' }
  if (status === 1) return { name: 'active', tone: 'good' }
  return status === 2 ? { name: 'banned', tone: 'bad' } : { name: 'off', tone: 'warning' }
}

/** The word of a role and its tone. */
export function userRole(role: number): {
  readonly name: 'user' | 'admin' | 'root'
  readonly tone: Tone
} {
  if (role >= ROLE_ROOT) return { name: 'root', tone: 'warning' }
  return role >= ROLE_ADMIN ? { name: 'admin', tone: 'info' } : { name: 'user', tone: 'neutral' }
}

/** Colours of groups by name (seeds, section 9); the others have none. */
export function groupPalette(group: string): string {
  if (group === 'vip' || group === 'pro') return 'yellow'
  return group === 'svip' || group === 'premium' ? 'red' : 'gray'
}
