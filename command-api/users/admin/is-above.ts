import type { User } from '../../identity/users.ts'

/** Root sees and changes all users, others only those below themselves. */
export const isAbove = (role: number, user: User): boolean => role === 100 || role > user.role

/** The message for an administrator who is not above the user. */
export const MAY_NOT_UPDATE = '无权更新同权限等级或更高权限等级的用户信息'
