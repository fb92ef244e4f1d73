import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ChangedPrices, isPriceKey, type OptionTexts } from '../../core/options.ts'
import type { Guarded } from '../../parts/form/leave-guard.tsx'
import { withoutFields } from '../../parts/form/form-values.ts'
import { notifyFailure, notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import type { Drafts, OptionProblem } from './option-form.ts'
import { changesOf, optionProblem, storedText } from './option-form.ts'
import type { OptionKey, SectionName } from './options.ts'
import { keysOf, SECTIONS, specOf } from './options.ts'
import { useSaveOptions } from './queries.ts'

/** The state that all sections of the settings share: stored texts, typed texts, and the problems of these. */
export interface SettingsEditor extends Guarded {
  readonly options: ReadonlyMap<string, string>
  readonly drafts: Drafts
  /** The server's refusals of options that were put, by option. */
  readonly refused: Readonly<Partial<Record<OptionKey, string>>>
  /** Sections that were sent: what is wrong in them is said. */
  readonly checked: ReadonlySet<SectionName>
  readonly saving: SectionName | null
  readonly set: (key: OptionKey, text: string) => void
  readonly undo: (key: OptionKey) => void
  /**
   * Prices among the changes go by way of `prices`, and the rest once those are saved. `note` says why, and may be empty;
   * prices have a note of their own.
   */
  readonly save: (name: SectionName, note: string) => void
  /** Changed prices that wait to be looked at and saved; null = none. */
  readonly prices:
    | (ChangedPrices & { readonly onSaved: () => void; readonly onConflict: () => void })
    | null
  readonly keepPrices: () => void
}

interface AskedPrices {
  readonly options: ChangedPrices['options']
  readonly onSaved: () => void
}

/** Typed settings outlive their tab: they are kept until they are saved, undone or given up. */
export function useSettings(options: OptionTexts): SettingsEditor {
  const { t } = useTranslation()
  const [drafts, setDrafts] = useState<Drafts>({})
  const [refused, setRefused] = useState<SettingsEditor['refused']>({})
  const [checked, setChecked] = useState<ReadonlySet<SectionName>>(new Set())
  const [saving, setSaving] = useState<SectionName | null>(null)
  const [asked, setAsked] = useState<AskedPrices | null>(null)
  const isGivenUp = useRef(false)
  /** Prices are compared with those that were shown when the first of them was typed. */
  const [priceBase, setPriceBase] = useState<number | null>(null)
  const newestBase = useRef(options.priceBase)
  useEffect(() => {
    newestBase.current = options.priceBase
  }, [options.priceBase])
  if (priceBase !== null && !Object.keys(drafts).some(isPriceKey)) setPriceBase(null)
  const put = useSaveOptions(({ failures, saved }) => {
    setSaving(null)
    setRefused((old) => ({ ...old, ...Object.fromEntries(failures) }))
    setDrafts((old) => withoutFields(old, saved))
    const [first] = failures.values()
    if (first === undefined) notifySuccess(t('form.saved'))
    else if (saved.length > 0) notifyFailure(new Error(t('settings.partlySaved')))
    else notifyFailure(new Error(failures.size === 1 ? first : t('settings.notSaved')))
  })
  const set = useCallback((key: OptionKey, text: string) => {
    isGivenUp.current = false
    if (isPriceKey(key)) setPriceBase((old) => old ?? newestBase.current)
    setDrafts((old) => ({ ...old, [key]: text }))
    setRefused((old) => withoutFields(old, [key]))
  }, [])
  const undo = useCallback((key: OptionKey) => {
    setDrafts((old) => withoutFields(old, [key]))
    setRefused((old) => withoutFields(old, [key]))
  }, [])
  const save = (name: SectionName, note: string) => {
    setChecked((old) => new Set([...old, name]))
    const changes = changesOf(keysOf(name), drafts, options)
    const isWrong = changes.some(({ key, value }) => optionProblem(specOf(key), value) !== null)
    if (isWrong) return notifyInfo(t('form.checkInput'))
    if (changes.length === 0) return notifyInfo(t('form.unchanged'))
    const priced = changes.filter(({ key }) => isPriceKey(key))
    const rest = changes.filter(({ key }) => !isPriceKey(key))
    const putRest = () => {
      if (rest.length === 0) return
      setSaving(name)
      put.mutate({ changes: rest, note })
    }
    if (priced.length === 0) return putRest()
    return setAsked({
      options: Object.fromEntries(priced.map(({ key, value }) => [key, value])),
      onSaved: () => {
        setAsked(null)
        setDrafts((old) =>
          withoutFields(
            old,
            priced.map(({ key }) => key),
          ),
        )
        putRest()
      },
    })
  }
  const unsaved = useMemo(
    () =>
      (Object.keys(SECTIONS) as SectionName[]).some(
        (name) => changesOf(keysOf(name), drafts, options).length > 0,
      ),
    [drafts, options],
  )
  return {
    options,
    drafts,
    refused,
    checked,
    saving,
    set,
    undo,
    save,
    prices: asked && {
      ...asked,
      base: priceBase ?? options.priceBase,
      // The present prices are read then, and what is saved next has been compared with those.
      onConflict: () => setPriceBase(null),
    },
    keepPrices: useCallback(() => setAsked(null), []),
    isUnsaved: () => unsaved && !isGivenUp.current,
    giveUp: useCallback(() => {
      isGivenUp.current = true
    }, []),
  }
}

/** The text that an option's control shows. */
export const shownText = (editor: SettingsEditor, key: OptionKey): string =>
  editor.drafts[key] ?? storedText(key, editor.options)

/** The problem of an option's text, once its section was sent; JSON is checked as it is typed. */
export function problemOf(
  editor: SettingsEditor,
  name: SectionName,
  key: OptionKey,
): OptionProblem | null {
  const draft = editor.drafts[key]
  const spec = specOf(key)
  const isDue = editor.checked.has(name) || spec.kind === 'table'
  return draft === undefined || !isDue ? null : optionProblem(spec, draft)
}
