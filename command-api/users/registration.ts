import type { OptionsView } from '@tollgate/domain/settings/options.ts'

/** Why nobody can sign up, by whatever way; null when people can. A site for its owner alone takes in nobody (decision 33). */
export const registrationProblem = (options: OptionsView): string | null =>
  options.flag('RegisterEnabled') && !options.flag('SelfUseModeEnabled')
    ? null
    : '管理员关闭了新用户注册'
