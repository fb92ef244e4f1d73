import { useTranslation } from 'react-i18next'
import type { ListedUser } from '../../core/contract.ts'
import { Tag } from '../tag.tsx'
import { groupPalette, userRole, userStatus } from './user-status.ts'

/** Whether a user may use the gateway, or is deleted. */
export function UserStatusTag({ user }: { user: Pick<ListedUser, 'status' | 'DeletedAt'> }) {
  const { t } = useTranslation()
  const { name, tone } = userStatus(user)
  return <Tag tone={tone}>{t(`user.standing_${name}`)}</Tag>
}

/** The role of a user, as a tag. */
export function RoleTag({ role }: { role: number }) {
  const { t } = useTranslation()
  const { name, tone } = userRole(role)
  return <Tag tone={tone}>{t(`user.role_${name}`)}</Tag>
}

/** A group in the colour of its name. */
export function GroupTag({ group }: { group: string }) {
  return <Tag palette={groupPalette(group)}>{group}</Tag>
}
