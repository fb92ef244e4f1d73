/**
 * The wire shapes the console reads, with the names of the HTTP contract (snake case, unix seconds, quota as an
 * integer in units of account). Only the fields that some screen uses are named.
 */

/** The signed-in user, as POST /api/user/login answers and as kept under the local key `user`. */
export interface SessionUser {
  readonly id: number
  readonly username: string
  readonly display_name: string
  readonly role: number
  readonly group: string
}

/** GET /api/user/self. */
export interface Self extends SessionUser {
  readonly quota: number
  readonly used_quota: number
  /** Reserved by open holds. */
  readonly held: number
  readonly request_count: number
  /** '' = none is bound; so with the next five. */
  readonly email: string
  readonly wechat_id: string
  readonly github_id: string
  readonly oidc_id: string
  readonly telegram_id: string
  readonly linux_do_id: string
  /** Null = none has been made. */
  readonly access_token: string | null
  /** How many signed up by this user's invitation. */
  readonly aff_count: number
  /** Earned by invitations and not transferred yet. */
  readonly aff_quota: number
  /** All that invitations ever earned. */
  readonly aff_history_quota: number
  /** JSON text of the notification and price settings; '' until they are saved first. */
  readonly setting: string
}

/** A row of GET /api/user/. */
export interface ListedUser extends SessionUser {
  /** 1 activated, 2 banned; 3 exists as well and counts as not enabled (seeds, section 4). */
  readonly status: number
  /** The posted balance; `held` of it is reserved by open holds. */
  readonly quota: number
  readonly held: number
  readonly used_quota: number
  readonly request_count: number
  readonly aff_count: number
  readonly aff_quota: number
  readonly aff_history_quota: number
  /** 0 = nobody. */
  readonly inviter_id: number
  readonly email: string
  readonly github_id: string
  readonly oidc_id: string
  readonly wechat_id: string
  readonly telegram_id: string
  readonly linux_do_id: string
  /** When the account was deleted; null while it is there. */
  readonly DeletedAt: string | null
}

/** A row of GET /api/redemption/. */
export interface Redemption {
  readonly id: number
  /** Id of the administrator who created it. */
  readonly user_id: number
  readonly key: string
  /** 1 unused, 2 disabled, 3 used (seeds, section 4). */
  readonly status: number
  readonly name: string
  readonly quota: number
  readonly created_time: number
  readonly redeemed_time: number
  /** 0 = nobody. */
  readonly used_user_id: number
  /** '' = nobody. */
  readonly used_username: string
}

/** GET /api/status: the public settings. */
export interface Status {
  readonly version: string
  readonly start_time: number
  /** IANA name of the server's zone. */
  readonly time_zone: string
  readonly setup: boolean
  readonly demo?: boolean
  readonly system_name: string
  readonly logo: string
  readonly footer_html: string
  readonly quota_per_unit: number
  readonly display_in_currency: boolean
  readonly docs_link: string
  /** Where codes are sold; '' when the operator has said nothing. */
  readonly top_up_link: string
  /** Money of the operator's country for a dollar. */
  readonly price: number
  /** Dollars. */
  readonly min_topup: number
  readonly enable_online_topup: boolean
  /** Picture of whom to turn to; '' when there is none. */
  readonly contact_image_url: string
  readonly server_address: string
  readonly self_use_mode_enabled: boolean
  readonly demo_site_enabled: boolean
  readonly enable_drawing: boolean
  readonly enable_task: boolean
  readonly mj_notify_enabled: boolean
  readonly enable_data_export: boolean
  readonly data_export_default_time: string
  /** Minutes. */
  readonly data_export_interval: number
  readonly default_collapse_sidebar: boolean
  readonly email_verification: boolean
  /** Whether the server can send email; absent in what an older server left in the browser. */
  readonly email_enabled?: boolean
  readonly turnstile_check: boolean
  readonly turnstile_site_key: string
  readonly github_oauth: boolean
  readonly oidc_enabled: boolean
  readonly wechat_login: boolean
  /** Address of the picture to scan; '' when there is none. */
  readonly wechat_qrcode: string
  readonly telegram_oauth: boolean
  readonly telegram_bot_name: string
  readonly linuxdo_oauth: boolean
  readonly chats: readonly Record<string, string>[]
}

/** GET /api/setup. */
export interface SetupStatus {
  readonly status: boolean
  readonly root_init: boolean
  readonly database_type: string
}

/** A row of GET /api/token/. `key` comes without its `sk-`. */
export interface Token {
  readonly id: number
  readonly name: string
  readonly key: string
  readonly status: number
  readonly remain_quota: number
  readonly used_quota: number
  readonly unlimited_quota: boolean
  readonly created_time: number
  readonly accessed_time: number
  readonly expired_time: number
  readonly model_limits_enabled: boolean
  readonly model_limits: string
  readonly allow_ips: string | null
  readonly group: string
}

/** A row of GET /api/channel/. JSON settings travel as text. */
export interface Channel {
  readonly id: number
  readonly name: string
  readonly type: number
  readonly key: string
  readonly status: number
  readonly models: string
  readonly group: string
  readonly tag: string | null
  readonly priority: number | null
  readonly weight: number | null
  readonly auto_ban: number | null
  readonly base_url: string | null
  readonly other: string
  readonly openai_organization: string | null
  readonly test_model: string | null
  readonly model_mapping: string | null
  readonly status_code_mapping: string | null
  readonly setting: string | null
  readonly param_override: string | null
  readonly other_info: string
  readonly response_time: number
  readonly test_time: number
  readonly balance: number
  readonly balance_updated_time: number
  readonly used_quota: number
  readonly created_time: number
}

/** A row of GET /api/log/. `other` is JSON text (see features/usage-log/log-details.ts). */
export interface Log {
  readonly id: number
  readonly user_id: number
  readonly created_at: number
  readonly type: number
  readonly content: string
  readonly username: string
  readonly token_name: string
  readonly token_id: number
  readonly model_name: string
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly use_time: number
  readonly is_stream: boolean
  readonly channel: number
  readonly channel_name: string
  readonly group: string
  readonly other: string
  readonly request_id?: string
  readonly event_id?: string
}

/** GET /api/log/stat. */
export interface LogStat {
  readonly quota: number
  readonly rpm: number
  readonly tpm: number
  /** Failed requests, those included that are not logged one by one. */
  readonly failed: number
  readonly token?: number
}

/** A page of a list that knows its total. */
export interface Page<Row> {
  readonly items: readonly Row[]
  readonly total: number
  readonly page: number
  readonly page_size: number
}

/** A row of GET /api/data/: one model in one hour. */
export interface UsageHour {
  readonly model_name: string
  readonly created_at: number
  readonly count: number
  readonly quota: number
  readonly token_used: number
}

/** A row of GET /api/pricing. */
export interface PricingModel {
  readonly model_name: string
  readonly quota_type: 0 | 1
  readonly model_ratio: number
  readonly model_price: number
  readonly completion_ratio: number
  readonly enable_groups: readonly string[]
}

/** The whole answer of GET /api/pricing, whose group tables lie beside `data`. */
export interface Pricing {
  readonly data: readonly PricingModel[]
  readonly group_ratio: Readonly<Record<string, number>>
  readonly usable_group: Readonly<Record<string, string>>
}

/** GET /api/user/self/groups: group name to its ratio and description. */
export type UserGroups = Readonly<Record<string, { readonly ratio: number; readonly desc: string }>>

/** A row of GET /api/option/: booleans and numbers are texts. */
export interface Option {
  readonly key: string
  readonly value: string
}

/** Role numbers of the seeds: 1 normal, 10 administrator, 100 super administrator. */
export const ROLE_ADMIN = 10
/** The role that may change settings. */
export const ROLE_ROOT = 100

/** A session of the console; times in unix seconds. */
export interface Session {
  readonly id: string
  readonly created_at: number
  readonly last_seen_at: number
  /** '' = not known. */
  readonly ip: string
  readonly user_agent: string
  readonly is_current: boolean
}

/** A change of a channel's state. */
export interface StateChange {
  readonly event_id: string
  /** Unix seconds. */
  readonly changed_at: number
  readonly event: string
  readonly state: 'enabled' | 'disabled' | 'auto-disabled' | 'half-open' | 'deleted'
  /** Null = Tollgate itself. */
  readonly user_id: number | null
  readonly username: string
  readonly reason: string
  readonly upstream_status: number | null
  readonly body_excerpt: string
}
