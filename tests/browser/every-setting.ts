import type {
  OptionKey,
  OptionSpec,
  SectionName,
} from '../../console/src/features/settings/options.ts'
import { keysOf, SECTIONS, specOf } from '../../console/src/features/settings/options.ts'
import type { TableShape } from '../../console/src/features/settings/tables.ts'
import type { TypedOption } from './change-settings.ts'

/** Text for a field, and the text that the server keeps; `kept` null = a secret, which nobody reads back. */
interface Entry {
  readonly typed: string
  readonly kept: string | null
}

/** Where pictures of the settings come from. A page that shows them has to be given them. */
export const PICTURES = 'https://pictures.example/'

/** Amounts are typed in US dollars. */
const AMOUNT = 3

const TABLES: Readonly<Record<TableShape, string>> = {
  ratios: '{"default": 1, "gold": 0.5}',
  texts: '{"default": "for everybody"}',
  limits: '{"default": 4096}',
  rates: '{"gold": [5, 4]}',
  headers: '{"gold": {"x-tier": ["one"]}}',
  factors: '{"gold": {"flex": 0.5}}',
  list: '["gold"]',
  chats: '[{"One": "https://one.example/{key}"}]',
}

/** Options that the values of their kind do not fit. */
const OWN: Readonly<Partial<Record<OptionKey, string>>> = {
  ToolPrices: '{"file_search": 3}',
  QuotaPerUnit: '1000000',
}

/** Sections that change who may sign in, what the others show, and at last that anything may be changed. */
const LAST: readonly SectionName[] = ['turnstile', 'login', 'pages', 'general']

/** Every section, in the order in which they can all be changed, with another value for each of its options. */
export const everySetting = (): readonly (readonly [SectionName, readonly TypedOption[]])[] => {
  const names = Object.keys(SECTIONS) as SectionName[]
  const first = names.filter((name) => !LAST.includes(name))
  return [...first, ...LAST].map((name) => [
    name,
    keysOf(name).map((key) => [key, entryOf(key)?.typed ?? null]),
  ])
}

/** The text that the server is to list for a changed option; null = a secret, which it does not list. */
export function keptOf(key: OptionKey, before: string): string | null {
  const entry = entryOf(key)
  return entry === null ? String(before !== 'true') : entry.kept
}

/** null = a switch. */
function entryOf(key: OptionKey): Entry | null {
  const own = OWN[key]
  if (own !== undefined) return { typed: own, kept: own }
  const spec: OptionSpec = specOf(key)
  switch (spec.kind) {
    case 'switch':
      return null
    case 'line':
      return same('as typed')
    case 'picture':
      return same(`${PICTURES}one.png`)
    case 'lines':
      return same('one\ntwo words')
    case 'page':
      return same('A **page** of ours')
    case 'address':
      return same('https://typed.example/path')
    case 'secret':
      return { typed: 'a-new-secret', kept: null }
    case 'domains':
      return { typed: 'typed.example', kept: `${spec.initial},typed.example` }
    case 'number':
      return numberEntry(spec)
    case 'choice':
      return same('day')
    case 'table':
      return same(TABLES[spec.shape])
    default:
      return spec satisfies never
  }
}

const same = (text: string): Entry => ({ typed: text, kept: text })

function numberEntry(spec: OptionSpec & { readonly kind: 'number' }): Entry {
  if (spec.isQuota) return { typed: String(AMOUNT), kept: String(AMOUNT * 500_000) }
  return same(spec.isWhole ? String(Number(spec.initial) + 1) : '0.5')
}
