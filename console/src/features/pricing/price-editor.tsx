import { Button, chakra, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { optionsQuery } from '../../core/options.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import type { Selection } from '../../parts/table/data-table.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { usePages } from '../../parts/table/use-pages.ts'
import { notifyInfo } from '../../parts/notify.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { AddModel } from './add-model.tsx'
import { BatchDialog } from './batch-dialog.tsx'
import { changeLines } from './change-lines.ts'
import type { PricedModel } from './contract.ts'
import { DraftsProvider } from './draft-context.ts'
import type { EditorRow } from './editor-columns.tsx'
import { useEditorColumns } from './editor-columns.tsx'
import type { EntryMode, PriceMaps } from './price-draft.ts'
import { PRICE_OPTIONS, priceMapsOf } from './price-draft.ts'
import { useResetRatios, useSavePrices } from './price-mutations.ts'
import { matchesFuzzily } from './price-rows.ts'
import { pricingQuery } from './queries.ts'
import { usePriceDrafts } from './use-price-drafts.ts'

type View = 'unset' | 'prices'
type Opened = 'save' | 'batch' | 'reset'

const NO_MAPS: PriceMaps = { ModelPrice: {}, ModelRatio: {}, CompletionRatio: {} }
const MILLION = 1_000_000

/**
 * Sets what models cost: those that are refused for want of a price, or all. Nothing is saved until the list of
 * changes was confirmed.
 */
export function PriceEditor(props: {
  view: View
  onView: (view: View) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { view } = props
  const { quotaPerUnit } = useQuotaUnit()
  const perRatio = MILLION / quotaPerUnit
  const options = useQuery(optionsQuery)
  const pricing = useQuery(pricingQuery)
  const [mode, setMode] = useState<EntryMode>('ratio')
  const [typedWords, setWords] = useState('')
  const [added, setAdded] = useState<readonly string[]>([])
  const [selection, setSelection] = useState<Selection>({})
  const [opened, setOpened] = useState<Opened | null>(null)
  const maps = useMemo(() => (options.data ? priceMapsOf(options.data) : NO_MAPS), [options.data])
  const editor = usePriceDrafts(maps, mode, perRatio)
  const finish = () => {
    editor.clear()
    setAdded([])
    setSelection({})
    setOpened(null)
  }
  const save = useSavePrices(finish)
  const reset = useResetRatios(finish)
  const columns = useEditorColumns(mode)
  const isLoaded = options.data !== undefined && pricing.data !== undefined
  const all = useMemo(
    () => editorRows(maps, pricing.data?.models ?? [], added),
    [maps, pricing.data, added],
  )
  const rows = all.filter(
    (row) =>
      (view === 'prices' || row.isUnset || added.includes(row.model)) &&
      matchesFuzzily(row.model, typedWords),
  )
  const { shown, pager } = usePages(rows)
  const unset = all.filter((row) => row.isUnset).length
  const selected = rows.map((row) => row.model).filter((model) => selection[model])
  const leaving = useBlocker({
    shouldBlockFn: ({ next }) => editor.changes.length > 0 && !('view' in next.search),
    enableBeforeUnload: () => editor.changes.length > 0,
    withResolver: true,
  })
  const askToSave = () => {
    if (editor.isWrong) notifyInfo(t('form.checkInput'))
    else if (editor.changes.length === 0) notifyInfo(t('form.unchanged'))
    else setOpened('save')
  }
  return (
    <Page
      title={t('pricing.editorTitle')}
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={() => setOpened('reset')}>
            {t('pricing.reset')}
          </Button>
          <Button size="sm" variant="outline" onClick={props.onClose}>
            {t('pricing.backToList')}
          </Button>
          <Button size="sm" onClick={askToSave} loading={save.isPending}>
            {t('pricing.saveChanges', { n: editor.changes.length })}
          </Button>
        </>
      }
    >
      <Text color="fg.muted" mb="3">
        {t('pricing.editorHelp')}
      </Text>
      <Panel>
        <Flex
          gap="2"
          p="2.5"
          wrap="wrap"
          align="center"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <Choice
            label={t('pricing.whichModels')}
            value={view}
            onChange={props.onView}
            options={[
              ['unset', t('pricing.onlyUnset', { n: unset })],
              ['prices', t('pricing.allModels')],
            ]}
          />
          <Choice
            label={t('pricing.entryMode')}
            value={mode}
            onChange={setMode}
            options={[
              ['ratio', t('pricing.asRatios')],
              ['price', t('pricing.asPrices')],
            ]}
          />
          <SearchBox label={t('pricing.search')} value={typedWords} onSearch={setWords} />
          <AddModel
            isKnown={(name) =>
              added.includes(name) || PRICE_OPTIONS.some((option) => name in maps[option])
            }
            onAdd={(name) => setAdded([name, ...added])}
          />
          {selected.length > 0 ? (
            <Button size="xs" variant="outline" onClick={() => setOpened('batch')}>
              {t('pricing.batch', { n: selected.length })}
            </Button>
          ) : null}
        </Flex>
        <DraftsProvider value={editor.drafts}>
          <DataTable
            label={t('pricing.editorTitle')}
            columns={columns}
            rows={isLoaded ? shown : undefined}
            rowId={(row) => row.model}
            error={options.error ?? pricing.error}
            onRetry={() => {
              void options.refetch()
              void pricing.refetch()
            }}
            selection={selection}
            onSelection={setSelection}
            empty={
              <EmptyState
                title={view === 'unset' ? t('pricing.noneUnset') : t('pricing.noneFound')}
              />
            }
          />
          {isLoaded && rows.length > 0 ? <Pager {...pager} /> : null}
        </DraftsProvider>
      </Panel>
      {opened === 'batch' ? (
        <BatchDialog
          count={selected.length}
          mode={mode}
          onApply={(draft) => {
            editor.setAll(selected, draft)
            setOpened(null)
          }}
          onClose={() => setOpened(null)}
        />
      ) : null}
      <ConfirmDialog
        isOpen={opened === 'save'}
        title={t('pricing.saveTitle', { n: editor.changes.length })}
        consequence={`${changeLines(editor.changes, t)}\n\n${t('pricing.saveConsequence')}`}
        confirmLabel={t('action.save')}
        isBusy={save.isPending}
        onConfirm={() => save.mutate({ drafts: editor.typed, perRatio })}
        onClose={() => setOpened(null)}
      />
      <ConfirmDialog
        isOpen={opened === 'reset'}
        isDanger
        title={t('pricing.resetTitle')}
        consequence={t('pricing.resetConsequence')}
        confirmLabel={t('pricing.reset')}
        isBusy={reset.isPending}
        onConfirm={() => reset.mutate()}
        onClose={() => setOpened(null)}
      />
      <ConfirmDialog
        isOpen={leaving.status === 'blocked'}
        isDanger
        title={t('form.unsavedTitle')}
        consequence={t('form.unsavedConsequence')}
        confirmLabel={t('form.discard')}
        onConfirm={() => leaving.proceed?.()}
        onClose={() => leaving.reset?.()}
      />
    </Page>
  )
}

/** Every model that is served or has a price, those without a price first. */
function editorRows(
  maps: PriceMaps,
  models: readonly PricedModel[],
  added: readonly string[],
): readonly EditorRow[] {
  const byName = new Map(models.map((model) => [model.model_name, model]))
  const unset = new Set(
    models.filter((model) => model.has_price === false).map((model) => model.model_name),
  )
  const named = PRICE_OPTIONS.flatMap((option) => Object.keys(maps[option]))
  const known = new Set([...added, ...unset, ...models.map((model) => model.model_name), ...named])
  return [...known]
    .map((model) => {
      const completionRatio = byName.get(model)?.completion_ratio
      return {
        model,
        isUnset: unset.has(model),
        ...(completionRatio ? { completionRatio } : {}),
      }
    })
    .sort((a, b) => rank(b) - rank(a) || a.model.localeCompare(b.model))

  function rank(row: EditorRow): number {
    return added.includes(row.model) ? 2 : Number(row.isUnset)
  }
}

function Choice<Value extends string>(props: {
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly (readonly [Value, string])[]
}) {
  return (
    <chakra.fieldset aria-label={props.label} display="flex" gap="1">
      {props.options.map(([value, label]) => (
        <Button
          key={value}
          size="xs"
          variant={props.value === value ? 'solid' : 'outline'}
          aria-pressed={props.value === value}
          onClick={() => props.onChange(value)}
        >
          {label}
        </Button>
      ))}
    </chakra.fieldset>
  )
}
