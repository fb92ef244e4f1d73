import { type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { z } from 'zod'
import type { LiveOptions } from '../options/live-options.ts'
import { serverAddress } from '../options/server-address.ts'
import { EXAMPLE_STATUS, type StatusData, statusAnswer } from './status-answer.ts'

/** The dependencies of the public pages besides the options. */
export interface ContentDeps {
  readonly options: LiveOptions
  readonly version: string
  /** IANA name of the zone that the server runs in. */
  readonly timeZone: string
  /** Unix milliseconds of the process's start. */
  readonly startedAt: number
  readonly isSetUp: () => Promise<boolean>
  /** Fails when the database does not answer. */
  readonly pingDatabase: () => Promise<unknown>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Everything here is made up; the console says so. */
  readonly isDemo: boolean
}

/** GET /api/status, notice, about and home page content, which a visitor's browser needs to draw the first page. */
export const contentRoutes = (deps: ContentDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/status',
    access: 'public',
    summary: 'Name, switches and public settings of this installation',
    answer: { data: statusAnswer },
    example: { data: EXAMPLE_STATUS },
    handle: async () => ({ data: statusData(deps, await deps.isSetUp()) }),
  }),
  statusTestRoute(deps),
  contentRoute(deps, '/api/notice', 'Notice', 'The notice shown to everybody, Markdown'),
  contentRoute(deps, '/api/about', 'About', 'The about page, Markdown, HTML or an https address'),
  contentRoute(
    deps,
    '/api/home_page_content',
    'HomePageContent',
    'The home page, Markdown, HTML or an https address',
  ),
]

/** A ping that anybody may ask for must not become a load on the database. */
const PING_EVERY_MS = 10_000

function statusTestRoute({ pingDatabase, clock }: ContentDeps): ApiRoute {
  let last: { readonly at: number; readonly isUp: Promise<boolean> } | null = null
  return route({
    method: 'GET',
    path: '/api/status/test',
    access: 'admin',
    summary: 'Whether server and database answer; the database is asked every ten seconds at most',
    answer: {},
    example: { message: 'Server is running' },
    handle: async () => {
      const now = clock.monotonicMs()
      if (last === null || now - last.at >= PING_EVERY_MS) {
        const isUp = pingDatabase().then(
          () => true,
          () => false,
        )
        last = { at: now, isUp }
      }
      return (await last.isUp) ? { message: 'Server is running' } : failure('数据库连接失败', 503)
    },
  })
}

const contentRoute = (
  deps: ContentDeps,
  path: string,
  key: 'Notice' | 'About' | 'HomePageContent',
  summary: string,
): ApiRoute =>
  route({
    method: 'GET',
    path,
    access: 'public',
    summary,
    answer: { data: z.string() },
    example: { data: '# Welcome' },
    handle: () => Promise.resolve({ data: deps.options.current().text(key) }),
  })

/** Fields of console-api 2.1a; `start_time` in unix seconds. */
function statusData(deps: ContentDeps, isSetUp: boolean): StatusData {
  const options = deps.options.current()
  return {
    version: deps.version,
    start_time: Math.floor(deps.startedAt / 1000),
    time_zone: deps.timeZone,
    setup: isSetUp,
    demo: deps.isDemo,
    ...signInStatus(options),
    system_name: options.text('SystemName'),
    logo: options.text('Logo'),
    footer_html: options.text('Footer'),
    server_address: serverAddress(options),
    docs_link: options.text('general_setting.docs_link'),
    top_up_link: options.text('TopUpLink'),
    contact_image_url: options.text('ContactImageURL'),
    price: options.number('Price'),
    min_topup: options.number('MinTopUp'),
    quota_per_unit: options.number('QuotaPerUnit'),
    display_in_currency: options.flag('DisplayInCurrencyEnabled'),
    enable_online_topup:
      options.text('ServerAddress') !== '' &&
      options.text('PayAddress') !== '' &&
      options.text('EpayId') !== '' &&
      deps.options.secret('EpayKey') !== '',
    // Charges are events, never gathered in memory for later: the switch of old is always off.
    enable_batch_update: false,
    enable_drawing: options.flag('DrawingEnabled'),
    enable_task: options.flag('TaskEnabled'),
    enable_data_export: options.flag('DataExportEnabled'),
    /** Minutes between two readings of a dashboard that is looked at (decision 30). */
    data_export_interval: options.number('DataExportInterval'),
    data_export_default_time: options.text('DataExportDefaultTime'),
    default_collapse_sidebar: options.flag('DefaultCollapseSidebar'),
    mj_notify_enabled: options.flag('MjNotifyEnabled'),
    demo_site_enabled: options.flag('DemoSiteEnabled'),
    self_use_mode_enabled: options.flag('SelfUseModeEnabled'),
    chats: options.json('Chats') as StatusData['chats'],
    chat_link: '',
  }
}

const signInStatus = (options: OptionsView) => ({
  email_verification: options.flag('EmailVerificationEnabled'),
  email_enabled:
    options.text('SMTPServer').trim() !== '' &&
    (options.text('SMTPFrom') || options.text('SMTPAccount')).trim() !== '',
  turnstile_check: options.flag('TurnstileCheckEnabled'),
  turnstile_site_key: options.text('TurnstileSiteKey'),
  github_oauth: options.flag('GitHubOAuthEnabled'),
  github_client_id: options.text('GitHubClientId'),
  linuxdo_oauth: options.flag('LinuxDOOAuthEnabled'),
  linuxdo_client_id: options.text('LinuxDOClientId'),
  oidc_enabled: options.flag('oidc.enabled'),
  oidc_client_id: options.text('oidc.client_id'),
  oidc_authorization_endpoint: options.text('oidc.authorization_endpoint'),
  telegram_oauth: options.flag('TelegramOAuthEnabled'),
  telegram_bot_name: options.text('TelegramBotName'),
  wechat_login: options.flag('WeChatAuthEnabled'),
  wechat_qrcode: options.text('WeChatAccountQRCodeImageURL'),
})
