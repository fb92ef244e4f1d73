import { Box, Button, chakra, Flex, Grid, Heading, Input, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentType, memo, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ChangedPrices, optionsQuery, type OptionTexts } from '../../core/options.ts'
import { useIsRoot } from '../../core/session.ts'
import { ChoiceButton } from '../../parts/choice-button.tsx'
import { useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { TAB } from '../../parts/tabs.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import type { SettingsSearch, Tab } from './filters.ts'
import { TABS } from './filters.ts'
import { LogCleanup } from './log-cleanup.tsx'
import { OidcDiscovery } from './oidc-discovery.tsx'
import { changedKeys } from './defaults.ts'
import { storedText } from './option-form.ts'
import { OptionSection } from './option-section.tsx'
import { matchesWords } from './option-words.ts'
import type { OptionKey, SectionName } from './options.ts'
import { keysOf, OPTIONS, sectionsOf } from './options.ts'
import { Places } from './places.tsx'
import type { PriceEditorView } from './price-section.tsx'
import { PriceSection } from './price-section.tsx'
import { defaultsQuery, lastChangesQuery, secretsQuery } from './queries.ts'
import { SystemInfo } from './system-info.tsx'
import type { SettingsEditor } from './use-settings.ts'
import { useSettings } from './use-settings.ts'

interface SettingsProps {
  readonly search: SettingsSearch
  readonly onSearch: (search: SettingsSearch) => void
  /** The table of model prices, which belongs to the price list. */
  readonly PriceEditor: PriceEditorView
  /** Shows what changed prices do, and saves them; belongs to the price list, too. */
  readonly SavePrices: ComponentType<{
    readonly prices: ChangedPrices
    readonly onSaved: () => void
    /** Others have saved prices since these were typed. */
    readonly onConflict: () => void
    readonly onClose: () => void
  }>
}

/** The settings. Options are for the super administrator; administrators see what there is and may clear logs. */
export function Settings(props: SettingsProps) {
  const { t } = useTranslation()
  const isRoot = useIsRoot()
  return (
    <Page title={t('place.settings')}>
      {isRoot ? <RootSettings {...props} /> : <AdminSettings tab={props.search.tab} />}
    </Page>
  )
}

function AdminSettings({ tab = 'operation' }: { tab: Tab | undefined }) {
  const { t } = useTranslation()
  return (
    <>
      <Tabs tab={tab} />
      <Stack gap="4">
        <Panel p="4">
          <Text>{t(tab === 'operation' ? 'settings.rootOnlyLogs' : 'settings.rootOnly')}</Text>
        </Panel>
        {tab === 'operation' ? <LogCleanup /> : null}
        {tab === 'other' ? <SystemInfo /> : null}
      </Stack>
    </>
  )
}

function RootSettings(props: SettingsProps) {
  const options = useQuery(optionsQuery)
  // Under each option stands who changed it, and whether it is the default: a line that would push down all the others if it came later.
  const changes = useQuery(lastChangesQuery)
  const defaults = useQuery(defaultsQuery)
  const secrets = useQuery(secretsQuery)
  if (options.isPending || changes.isPending || defaults.isPending || secrets.isPending)
    return <SkeletonRows rows={8} height="64px" />
  if (!options.data)
    return <ErrorState error={options.error} onRetry={() => void options.refetch()} />
  return <Editor {...props} options={options.data} />
}

function Editor(props: SettingsProps & { options: OptionTexts }) {
  const { t } = useTranslation()
  const { search, onSearch, options } = props
  const editor = useSettings(options)
  const guard = useLeaveGuard(editor, (from, to) => from.pathname === to.pathname)
  useEffect(() => {
    // The router and the browser looked for the address' section before it was there.
    document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [])
  const [words, setWords] = useState(search.q ?? '')
  const [lastWords, setLastWords] = useState(search.q)
  if (lastWords !== search.q) {
    // Back, or a link: the address says something else than was typed.
    setLastWords(search.q)
    setWords(search.q ?? '')
  }
  const defaults = useQuery(defaultsQuery).data
  const secrets = useQuery(secretsQuery).data
  const changed = useMemo(
    () => changedKeys(ALL_KEYS, (key) => storedText(key, options), { defaults, secrets }),
    [options, defaults, secrets],
  )
  const isLooking = words.trim() !== '' || search.changed === true
  const isFound = (key: OptionKey) =>
    (search.changed !== true || changed.includes(key)) && matchesWords(key, words.trim(), t)
  return (
    <>
      <Flex gap="2" align="center" mb="3">
        <Input
          size="sm"
          type="search"
          minW="0"
          maxW="280px"
          aria-label={t('settings.search')}
          placeholder={t('settings.search')}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onBlur={() => onSearch({ ...search, q: words.trim() })}
          onKeyDown={(event) => event.key === 'Enter' && onSearch({ ...search, q: words.trim() })}
        />
        <ChoiceButton
          size="sm"
          flexShrink="0"
          isChosen={search.changed === true}
          onClick={() => onSearch({ ...search, changed: search.changed ? undefined : true })}
        >
          {t('settings.onlyChanged', { n: changed.length })}
        </ChoiceButton>
      </Flex>
      {isLooking ? (
        <Found
          editor={editor}
          isFound={isFound}
          onAll={() => {
            setWords('')
            onSearch({ ...search, q: undefined, changed: undefined })
          }}
        />
      ) : (
        <TabView {...props} editor={editor} />
      )}
      {editor.prices === null ? null : (
        <props.SavePrices
          prices={editor.prices}
          onSaved={editor.prices.onSaved}
          onConflict={editor.prices.onConflict}
          onClose={editor.keepPrices}
        />
      )}
      {guard.dialog}
    </>
  )
}

const ALL_KEYS = Object.keys(OPTIONS) as OptionKey[]

/** The options that were looked for, of all tabs. */
function Found(props: {
  editor: SettingsEditor
  isFound: (key: OptionKey) => boolean
  onAll: () => void
}) {
  const { t } = useTranslation()
  const { editor, isFound } = props
  const count = ALL_KEYS.filter(isFound).length
  const all = (
    <Button size="xs" variant="outline" onClick={props.onAll}>
      {t('settings.showAll')}
    </Button>
  )
  return (
    <Stack gap="4" maxW="900px">
      <Flex align="center" gap="3">
        <Text as="output">
          {count === 0 ? t('settings.noneFound') : t('settings.found', { count })}
        </Text>
        {all}
      </Flex>
      {TABS.map((tab) => {
        const sections = sectionsOf(tab).filter((name) => keysOf(name).some(isFound))
        return sections.length === 0 ? null : (
          <Stack key={tab} gap="3">
            <Heading as="h2" size="sm" color="fg.muted">
              {t(`settings.tab_${tab}`)}
            </Heading>
            {sections.map((name) => (
              <OptionSection key={name} name={name} editor={editor} only={isFound} />
            ))}
          </Stack>
        )
      })}
    </Stack>
  )
}

/** A place in the settings: a section of options, or a part that stands between two of them. */
type Extra = SectionName | 'cleanup' | 'prices' | 'info'

function placesOf(tab: Tab): readonly Extra[] {
  if (tab === 'other') return ['info', ...sectionsOf(tab)]
  return sectionsOf(tab).flatMap((name): readonly Extra[] => {
    if (name === 'log') return ['log', 'cleanup']
    return [name === 'modelRatios' ? 'prices' : name]
  })
}

const PLACES = Object.fromEntries(TABS.map((tab) => [tab, placesOf(tab)])) as Readonly<
  Record<Tab, readonly Extra[]>
>

function TabView(props: SettingsProps & { editor: SettingsEditor }) {
  const { search, editor } = props
  const tab = search.tab ?? 'operation'
  const places = PLACES[tab]
  const view = (place: Extra) => {
    if (place === 'cleanup') return <LogCleanup key={place} />
    if (place === 'info') return <SystemInfo key={place} />
    if (place === 'prices')
      return (
        <PriceSection
          key={place}
          view={search.prices ?? 'json'}
          editor={editor}
          PriceEditor={props.PriceEditor}
        />
      )
    const actions = place === 'oidc' ? <OidcDiscovery editor={editor} /> : null
    return <OptionSection key={place} name={place} editor={editor} actions={actions} />
  }
  return (
    <>
      <Tabs tab={tab} />
      <Grid
        gap="6"
        templateColumns={{ base: 'minmax(0, 1fr)', lg: '150px minmax(0, 900px)' }}
        alignItems="start"
      >
        <Places places={places} />
        <Stack gap="4" minW="0">
          {places.map(view)}
        </Stack>
      </Grid>
    </>
  )
}

/** Shades the edges behind which there are more tabs; at either end, what scrolls along covers the shade. */
const MORE_BESIDE = {
  background: [
    'linear-gradient(to right, var(--tg-colors-bg) 40%, transparent) left / 40px 100% no-repeat local',
    'linear-gradient(to left, var(--tg-colors-bg) 40%, transparent) right / 40px 100% no-repeat local',
    'linear-gradient(to right, var(--tg-colors-border), transparent) left / 12px 100% no-repeat scroll',
    'linear-gradient(to left, var(--tg-colors-border), transparent) right / 12px 100% no-repeat scroll',
  ].join(', '),
} as const

/** On a phone, the tabs are wider than the window. */
const bringIntoSight = (tab: HTMLElement | null): void =>
  tab?.scrollIntoView({ inline: 'center', block: 'nearest' })

const Tabs = memo(function Tabs({ tab }: { tab: Tab }) {
  const { t } = useTranslation()
  return (
    <Box as="nav" aria-label={t('settings.tabs')} overflowX="auto" mb="4" css={MORE_BESIDE}>
      <Flex as="ul" gap="1" listStyleType="none" borderBottomWidth="1px" minW="max-content">
        {TABS.map((name) => (
          <li key={name}>
            <chakra.span asChild display="block" css={TAB}>
              <Link
                to="/setting"
                search={{ tab: name }}
                {...(name === tab ? { 'aria-current': 'page' as const, ref: bringIntoSight } : {})}
              >
                {t(`settings.tab_${name}`)}
              </Link>
            </chakra.span>
          </li>
        ))}
      </Flex>
    </Box>
  )
})
