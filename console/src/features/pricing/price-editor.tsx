import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { optionsQuery } from '../../core/options.ts'
import { CheckField } from '../../parts/choice-fields.tsx'
import { ChoiceButton } from '../../parts/choice-button.tsx'
import { useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { notifyInfo } from '../../parts/notify.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { AddModel } from './add-model.tsx'
import { BatchDialog } from './batch-dialog.tsx'
import type { PricedModel } from './contract.ts'
import type { DraftStore, DraftTerms } from './draft-store.ts'
import { changesIn, draftStore, hasProblem } from './draft-store.ts'
import { type EditorList, useEditorRows } from './editor-rows.ts'
import type { EntryMode, PriceMaps } from './price-draft.ts'
import { changedTexts, priceMapsOf } from './price-draft.ts'
import { previewQuery } from './price-mutations.ts'
import { PriceTable } from './price-table.tsx'
import { pricingQuery } from './queries.ts'
import { refusedPrice } from './refused-price.ts'

const SaveDialog = lazy(() => import('./save-dialog.tsx'))

type Opened = 'save' | 'batch'

const NO_MAPS: PriceMaps = priceMapsOf(new Map())
const NO_MODELS: readonly PricedModel[] = []
const MILLION = 1_000_000

/**
 * Sets what models cost: those that are refused because they have no price (`unset`), or all. Nothing is saved until the
 * list of changes was confirmed.
 */
export function PriceEditor({ view }: { view: 'unset' | 'visual' }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const perRatio = MILLION / quotaPerUnit
  const options = useQuery(optionsQuery)
  const pricing = useQuery(pricingQuery)
  const [mode, setMode] = useState<EntryMode>('ratio')
  const [showsCache, setShowsCache] = useState(false)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [store] = useState(draftStore)
  const maps = useMemo(() => (options.data ? priceMapsOf(options.data) : NO_MAPS), [options.data])
  const terms = useMemo(() => ({ maps, mode, perRatio }), [maps, mode, perRatio])
  const edited = { store, terms }
  const guard = useDraftGuard(edited)
  const list = useEditorRows({ view, maps, models: pricing.data?.models ?? NO_MODELS })
  const { selection, select, clearSelection } = useSelection()
  const selected = list.rows.map((row) => row.model).filter((model) => selection.has(model))
  const askToSave = useSaving(edited, {
    list,
    setOpened,
    keepGuarding: () => {
      guard.keepGuarding()
      // A problem of these fields must not be hidden.
      if ([...store.all().values()].some(({ caches }) => caches)) setShowsCache(true)
    },
  })
  const error = options.error ?? pricing.error
  const isLoaded = options.data !== undefined && pricing.data !== undefined && list.isSettled
  const close = () => setOpened(null)
  return (
    <Box>
      <Text color="fg.muted" fontSize="sm" mb="3">
        {t('pricing.editorHelp')}
      </Text>
      <Flex gap="2" wrap="wrap" align="center" justify="space-between" mb="2">
        <Flex gap="3" wrap="wrap" align="center">
          <ModeChoice mode={mode} onChange={setMode} />
          <CheckField
            label={t('pricing.showCache')}
            isChecked={showsCache}
            onChange={setShowsCache}
          />
        </Flex>
        <SaveButton {...edited} onClick={askToSave} />
      </Flex>
      <Flex gap="2" wrap="wrap" align="center" mb="2">
        <SearchBox label={t('pricing.search')} value={list.typedWords} onSearch={list.search} />
        <AddModel isKnown={list.isKnown} onAdd={list.add} />
        <Button
          size="xs"
          variant="outline"
          disabled={selected.length === 0}
          onClick={() => setOpened('batch')}
        >
          {t('pricing.batch', { n: selected.length })}
        </Button>
      </Flex>
      {isLoaded ? (
        <Rows
          view={view}
          list={list}
          edited={edited}
          showsCache={showsCache}
          selection={selection}
          onSelect={select}
        />
      ) : error ? (
        <ErrorState
          error={error}
          {...(view === 'unset' && pricing.error ? { what: t('pricing.enabledFailed') } : {})}
          onRetry={() => {
            void options.refetch()
            void pricing.refetch()
          }}
        />
      ) : (
        <SkeletonRows rows={list.pager.pageSize + 1} height="40px" />
      )}
      {opened === 'batch' ? (
        <BatchDialog
          count={selected.length}
          mode={mode}
          showsCache={showsCache}
          isAskedBehind={() => changesIn(store.all(), terms).length > 0}
          onApply={(draft) => {
            store.setAll(selected, draft, terms)
            close()
          }}
          onClose={close}
        />
      ) : null}
      {opened === 'save' && options.data ? (
        <Suspense>
          <SaveDialog
            prices={{
              options: changedTexts(maps, changesIn(store.all(), terms)),
              base: options.data.priceBase,
            }}
            onSaved={() => {
              store.clear()
              list.clearAdded()
              clearSelection()
              close()
            }}
            onClose={close}
          />
        </Suspense>
      ) : null}
      {guard.dialog}
    </Box>
  )
}

/** The drafts, and how they are read. */
interface Edited {
  readonly store: DraftStore
  readonly terms: DraftTerms
}

/** Asks before drafts are lost. After somebody gave them up, `keepGuarding` makes it ask again. */
function useDraftGuard({ store, terms }: Edited) {
  const isGivenUp = useRef(false)
  const { dialog } = useLeaveGuard(
    {
      isUnsaved: () => !isGivenUp.current && changesIn(store.all(), terms).length > 0,
      giveUp: () => {
        isGivenUp.current = true
      },
    },
    // Between the models without a price and all of them, the editor stays where it is.
    (from, to) => from.pathname === to.pathname && isEditor(to.search),
  )
  const keepGuarding = () => {
    isGivenUp.current = false
  }
  return { dialog, keepGuarding }
}

/** The models that the boxes before their lines choose. */
function useSelection() {
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const select = useCallback(
    (models: readonly string[], isSelected: boolean) =>
      setSelection((old) => {
        const change = new Set(models)
        return isSelected ? old.union(change) : old.difference(change)
      }),
    [],
  )
  return { selection, select, clearSelection: () => setSelection(new Set()) }
}

/** Opens the dialog that saves the drafts, unless there is nothing to save or a draft is wrong. */
function useSaving(
  { store, terms }: Edited,
  {
    list,
    setOpened,
    keepGuarding,
  }: {
    readonly list: EditorList
    readonly setOpened: (opened: Opened | null) => void
    readonly keepGuarding: () => void
  },
): () => void {
  const { t } = useTranslation()
  const client = useQueryClient()
  const showRefused = (error: unknown) => {
    const refused = refusedPrice(error)
    if (!refused) return
    setOpened(null)
    store.refuse(refused)
    if (!list.shown.some(({ model }) => model === refused.model)) list.search(refused.model)
    notifyInfo(t('form.checkInput'))
  }
  return () => {
    keepGuarding()
    const changes = changesIn(store.all(), terms)
    if (hasProblem(store.all())) notifyInfo(t('form.checkInput'))
    else if (changes.length === 0) notifyInfo(t('form.unchanged'))
    else {
      setOpened('save')
      // The dialog shows the same preview. A price that it is refused for is mended in the table.
      client.fetchQuery(previewQuery(changedTexts(terms.maps, changes))).catch(showRefused)
    }
  }
}

function Rows(props: {
  view: 'unset' | 'visual'
  list: EditorList
  edited: Edited
  showsCache: boolean
  selection: ReadonlySet<string>
  onSelect: (models: readonly string[], isSelected: boolean) => void
}) {
  const { t } = useTranslation()
  const { view, list } = props
  if (list.rows.length === 0)
    return <EmptyState title={view === 'unset' ? t('pricing.noneUnset') : t('pricing.noneFound')} />
  return (
    <>
      <PriceTable
        label={t('pricing.editorTitle')}
        rows={list.shown}
        {...props.edited}
        showsCache={props.showsCache}
        selection={props.selection}
        onSelect={props.onSelect}
      />
      <Pager {...list.pager} />
    </>
  )
}

const isEditor = (search: object): boolean =>
  'prices' in search && (search.prices === 'visual' || search.prices === 'unset')

/** Counts the changes as they are typed, and is drawn again only when their number changes. */
function SaveButton({ store, terms, onClick }: Edited & { onClick: () => void }) {
  const { t } = useTranslation()
  const n = useSyncExternalStore(store.subscribe, () => changesIn(store.all(), terms).length)
  return (
    // As wide as it will be with a number, so that nothing gives way to the first change.
    <Button
      size="sm"
      minW="150px"
      variant={n > 0 ? 'solid' : 'outline'}
      aria-disabled={n === 0}
      onClick={onClick}
    >
      {n > 0 ? t('pricing.saveChanges', { n }) : t('action.save')}
    </Button>
  )
}

const MODES = [
  ['ratio', 'pricing.asRatios'],
  ['price', 'pricing.asPrices'],
] as const

function ModeChoice(props: { mode: EntryMode; onChange: (mode: EntryMode) => void }) {
  const { t } = useTranslation()
  return (
    <chakra.fieldset aria-label={t('pricing.entryMode')} display="flex" gap="1">
      {MODES.map(([mode, label]) => (
        <ChoiceButton
          key={mode}
          isChosen={props.mode === mode}
          onClick={() => props.onChange(mode)}
        >
          {t(label)}
        </ChoiceButton>
      ))}
    </chakra.fieldset>
  )
}
