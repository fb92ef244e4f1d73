import type audit from '../locales/zh/audit.json'
import type auth from '../locales/zh/auth.json'
import type about from '../locales/zh/about.json'
import type charge from '../locales/zh/charge.json'
import type channels from '../locales/zh/channels.json'
import type dashboard from '../locales/zh/dashboard.json'
import type events from '../locales/zh/events.json'
import type first from '../locales/zh/first.json'
import type log from '../locales/zh/log.json'
import type orders from '../locales/zh/orders.json'
import type parts from '../locales/zh/parts.json'
import type personal from '../locales/zh/personal.json'
import type prices from '../locales/zh/prices.json'
import type pricing from '../locales/zh/pricing.json'
import type redemptions from '../locales/zh/redemptions.json'
import type replays from '../locales/zh/replays.json'
import type settings from '../locales/zh/settings.json'
import type setup from '../locales/zh/setup.json'
import type sources from '../locales/zh/sources.json'
import type statement from '../locales/zh/statement.json'
import type steps from '../locales/zh/steps.json'
import type tokens from '../locales/zh/tokens.json'
import type users from '../locales/zh/users.json'
import type wallet from '../locales/zh/wallet.json'

/** The files of texts: `first` for the frame and what visitors see, `parts` for the shared parts, one for each screen. */
interface Files {
  readonly about: typeof about
  readonly audit: typeof audit
  readonly auth: typeof auth
  readonly channels: typeof channels
  readonly charge: typeof charge
  readonly dashboard: typeof dashboard
  readonly events: typeof events
  readonly first: typeof first
  readonly log: typeof log
  readonly orders: typeof orders
  readonly parts: typeof parts
  readonly personal: typeof personal
  readonly prices: typeof prices
  readonly pricing: typeof pricing
  readonly redemptions: typeof redemptions
  readonly replays: typeof replays
  readonly settings: typeof settings
  readonly setup: typeof setup
  readonly sources: typeof sources
  readonly statement: typeof statement
  readonly steps: typeof steps
  readonly tokens: typeof tokens
  readonly users: typeof users
  readonly wallet: typeof wallet
}

/** Name of a file of texts. */
export type TextsName = keyof Files
/** All texts, by section and name. */
export type Texts = Merged<Files[TextsName]>
type Merged<Union> = (Union extends unknown ? (file: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** One of the console's languages. */
export type Language = 'zh' | 'en'
