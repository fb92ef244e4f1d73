import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/**
 * The message that closes every way of signing up; null when it is open. A site for its owner alone takes no new users
 * (decision 33).
 */
export const registrationProblem = (options: OptionsView): string | null =>
  options.flag('RegisterEnabled') && !options.flag('SelfUseModeEnabled')
    ? null
    : '管理员关闭了新用户注册'
