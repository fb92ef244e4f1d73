import { QUOTA_MAX } from '@tollgate/domain/account/limits.ts'
import type { ChannelRejection } from '@tollgate/domain/channel/decider.ts'
import { PRIORITY_MIN } from '@tollgate/domain/channel/terms.ts'
import type { RedemptionRejection } from '@tollgate/domain/redemption/decider.ts'
import { GROUP_NAME_BYTES_MAX, type UserRejection } from '@tollgate/domain/user/decider.ts'

/** The message in the console when a channel refuses a command. */
export function channelRejectionMessage(rejection: ChannelRejection): string {
  if ('type' in rejection) return `不支持的渠道类型：${rejection.type}，请选择其他类型`
  if ('balanceUsd' in rejection) return `上游返回的余额不是数字：${rejection.balanceUsd}`
  if ('name' in rejection) return `${TOO_LONG[rejection.reason]}: ${rejection.name}`
  return CHANNEL_MESSAGES[rejection.reason]
}

const TOO_LONG = {
  'model-name-too-long': '模型名称过长',
  'group-name-too-long': '分组名称过长',
} as const

type WithValue = keyof typeof TOO_LONG | 'type-not-offered' | 'balance-invalid'

const CHANNEL_MESSAGES: Readonly<Record<Exclude<ChannelRejection['reason'], WithValue>, string>> = {
  'channel-exists': '渠道已存在',
  'channel-unknown': 'record not found',
  'channel-moved': '渠道的类型或 API 地址刚被他人修改，请刷新后重试',
  'automatic-disable-off': '未开启失败时自动禁用通道',
  'channel-not-auto-ban': '该渠道未开启自动禁用',
  'automatic-enable-off': '未开启成功时自动启用通道',
  'channel-not-auto-disabled': '该渠道已被手动禁用',
  'region-missing': '部署地区不能为空',
  'region-without-default': '部署地区必须包含default字段',
  'max-input-tokens-negative': '最大输入 token 数不能小于 0',
  'models-missing': '请至少选择一个模型！',
  'base-url-missing': '该类型的渠道没有默认地址，请填写渠道 API 地址',
  'base-url-invalid': '渠道 API 地址无效，请以 http:// 或 https:// 开头',
  'base-url-with-credentials': '渠道 API 地址不能包含账号或密码，请填写在密钥中',
  'organization-invalid': 'OpenAI 组织 ID 只能包含可见的 ASCII 字符，请检查后重新填写',
  'plugin-invalid': '插件参数只能包含可见的 ASCII 字符，请检查后重新填写',
  'model-mapping-invalid': '模型映射必须是合法的 JSON 格式！',
  'status-code-mapping-invalid': '状态码复写必须是合法的 JSON 格式，如 {"400":"500"}',
  'param-override-invalid': '参数覆盖必须是合法的 JSON 格式，且不能包含 stream 参数',
  'setting-invalid': '渠道额外设置必须是合法的 JSON 格式，各项的值必须符合其说明',
  'setting-with-proxy': '代理地址须单独保存，不能留在渠道额外设置中',
  'priority-out-of-range': `优先级必须是整数，且不小于 ${PRIORITY_MIN}！`,
  'weight-out-of-range': '权重必须是非负整数！',
  'terms-too-long': '渠道内容过长，请减少模型或缩短设置',
}

/** The message in the console when a user's stream refuses a command. */
export const userRejectionMessage = ({ reason }: UserRejection): string => USER_MESSAGES[reason]

const USER_MESSAGES: Readonly<Record<UserRejection['reason'], string>> = {
  'user-exists': '用户名已存在，或已注销',
  'role-not-below-own': '无法创建权限大于等于自己的用户',
  'user-unknown': '用户不存在',
  'user-deleted': '用户已注销',
  'user-not-below': '无权更新同权限等级或更高权限等级的用户信息',
  'only-root-promotes': '普通管理员用户无法提升其他用户为管理员',
  'already-administrator': '该用户已经是管理员',
  'root-not-banned': '无法禁用超级管理员用户',
  'root-not-deleted': '无法删除超级管理员用户',
  'root-not-leaving': '不能删除超级管理员账户',
  'root-not-demoted': '无法降级超级管理员用户',
  'already-ordinary': '该用户已经是普通用户',
  'group-name-length': `分组名称不能为空，且不能超过 ${GROUP_NAME_BYTES_MAX} 字节`,
  'group-name-hidden': '分组名称不能包含换行、控制字符或不可见字符',
}

/** The message in the console when a redemption code refuses a command. */
export const codeRejectionMessage = ({ reason }: RedemptionRejection): string =>
  CODE_MESSAGES[reason]

const CODE_MESSAGES: Readonly<Record<RedemptionRejection['reason'], string>> = {
  'code-exists': '兑换码已存在',
  'code-unknown': 'record not found',
  'quota-not-positive': '兑换码额度必须大于0',
  'quota-too-large': `兑换码额度不能超过 ${QUOTA_MAX}`,
  'code-not-unused': '只有未使用的兑换码可以编辑',
  'code-used': '该兑换码已被使用',
}
