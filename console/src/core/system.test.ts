import { createSystem, defaultBaseConfig } from '@chakra-ui/react'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { design } from './design.ts'
import { createConsoleSystem } from './system.ts'
import { semanticTokens } from './semantic-tokens.ts'

const system = createConsoleSystem()

/**
 * Only tokens in use are built (`tokens.ts`). A name that is none would be written into the page as it is, where a
 * browser drops it without a word.
 */
const SOURCES = join(import.meta.dirname, '..')
/** Style properties whose numbers and names are tokens, by the kinds of token that they may be. */
const KINDS = {
  spacing:
    /^(?:[pm][xytblrse]?|gap|rowGap|columnGap|inset[XY]?|top|left|right|bottom|padding\w*|margin\w*)$/,
  sizes: /^(?:[wh]|(?:min|max)[WH]|boxSize|width|height|flexBasis)$/,
  fontSizes: /^fontSize$/,
  fontWeights: /^fontWeight$/,
  radii: /^(?:borderRadius|rounded)$/,
  shadows: /^(?:shadow|boxShadow)$/,
  zIndex: /^zIndex$/,
} as const
/** `px="4"`, `px: '4'`, and `px={{ base: '4', md: '6' }}`, whose values are all one property's. */
const STYLES = /\b(\w+)(?:=|: )(?:(\{\{[^}]*\}\})|["']([^"'\n]*)["'])/g
const PALETTES =
  'bg|fg|border|black|white|blackAlpha|whiteAlpha|gray|red|orange|yellow|green|teal|blue|cyan|purple|pink|lime'
const COLOR = new RegExp(`["'\`]((?:${PALETTES})\\.\\w+)(?:/\\d+)?["'\`]`, 'g')
/** A number on Chakra's scale, or one of its names; lengths, keywords and percentages are CSS. */
const MAY_BE_TOKEN = /^-?(?:\d+(?:\.5)?|\d?x[sl]|[2-9]xl|[a-z]\w*)$/

const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).filter(
  (file) =>
    !file.includes('.test.') && !/core\/(?:tokens|semantic-tokens|system|design)\.ts$/.test(file),
)

/** Keywords of CSS and numbers that mean themselves, by kind. */
const CSS_WORDS = new Set(['0', 'auto', 'none', 'inherit', 'hidden', 'unset', 'initial'])
const PLAIN_NUMBERS: readonly string[] = ['fontWeights', 'zIndex']

test('given every source, when a style names a token, then the token is there', () => {
  const missing = files.flatMap((file) => {
    const text = readFileSync(join(SOURCES, file), 'utf8')
    const named = [...text.matchAll(STYLES)].flatMap(([, property = '', several, one]) => {
      const kind = Object.entries(KINDS).find(([, properties]) => properties.test(property))?.[0]
      if (kind === undefined) return []
      const values = one === undefined ? quoted(several ?? '') : [one]
      return values
        .filter((value) => MAY_BE_TOKEN.test(value) && !CSS_WORDS.has(value))
        .filter((value) => !(PLAIN_NUMBERS.includes(kind) && /^\d+$/.test(value)))
        .map((value) => `${kind}.${value.replace(/^-/, '')}`)
    })
    const colors = [...text.matchAll(COLOR)].map(([, color]) => `colors.${color}`)
    return [...named, ...colors]
      .filter((token) => system.tokens.getByName(token) === undefined)
      .map((token) => `${file}: ${token}`)
  })
  expect(missing).toEqual([])
})

test('given the sources, when they are searched for tokens, then hundreds are found', () => {
  const found = files.flatMap((file) => [
    ...readFileSync(join(SOURCES, file), 'utf8').matchAll(COLOR),
  ])
  expect(found.length).toBeGreaterThan(200)
})

function quoted(text: string): string[] {
  return [...text.matchAll(/'([^']*)'/g)].map(([, value]) => value ?? '')
}

test('given the tokens that the page defines, when a style names one, then it refers to its variable', () => {
  const full = createSystem(defaultBaseConfig, ...design(semanticTokens))
  const names = new Set(full.tokens.allTokens.map(({ name }) => name))
  const referring = (of: typeof full.token) =>
    [...names].map((name) => ({ name, value: of(name), variable: of.var(name) }))
  expect(names).toContain('colors.bg.panel')
  expect(referring(system.token)).toEqual(referring(full.token))
  const style = { colorPalette: 'teal', bg: 'colorPalette.solid', borderColor: 'fg.muted/50' }
  expect(system.css(style)).toEqual(full.css(style))
})

/**
 * Components that the files of parts/late export, each with its recipe: `export { Dialog } from '@chakra-ui/react'`.
 */
const lateComponents = files
  .filter((file) => file.startsWith('parts/late/'))
  .flatMap((file) => namesFromChakra(file, 'export'))

test('given every source, when it draws a component whose recipe is loaded late, then it has its recipe', () => {
  expect(lateComponents).toContain('Dialog')
  const bare = files
    .filter((file) => !file.startsWith('parts/late/'))
    .flatMap((file) => namesFromChakra(file, 'import').map((name) => ({ file, name })))
    .filter(({ name }) => lateComponents.includes(name))
  expect(bare).toEqual([])
})

test('given recipes that come late, when a component asks for one, then it is drawn by it', async () => {
  const bare = createConsoleSystem().getSlotRecipeFn('popover')({}) as object
  await import('../parts/late/popover.ts')
  const drawn = createConsoleSystem().getSlotRecipeFn('popover')({}) as object
  expect(bare).toEqual({})
  expect(JSON.stringify(drawn)).toContain('--popover-bg')
})

function namesFromChakra(file: string, keyword: 'import' | 'export'): string[] {
  const text = readFileSync(join(SOURCES, file), 'utf8')
  const lists = text.matchAll(new RegExp(`${keyword} \\{([^}]*)\\} from '@chakra-ui/react'`, 'g'))
  return [...lists].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim().split(' ')[0] ?? '')
      .filter((name) => name !== ''),
  )
}
