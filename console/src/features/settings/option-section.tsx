import { Box, Button, Flex, Grid, Input } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import type { ReactNode } from 'react'
import { lazy, memo, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isPriceKey } from '../../core/options.ts'
import { clientAddress } from '../../core/last-status.ts'
import { useStatus } from '../../core/status.ts'
import { dateTime } from '../../parts/time-format.ts'
import { initialOf, isOffDefault } from './defaults.ts'
import { changesOf, isSameText, storedText } from './option-form.ts'
import { OptionInput } from './option-input.tsx'
import { labelOf, shortText } from './option-words.ts'
import type { OptionKey, SectionName } from './options.ts'
import { keysOf, specOf } from './options.ts'
import { defaultsQuery, lastChangesQuery } from './queries.ts'
import { Section } from './section.tsx'
import type { SettingsEditor } from './use-settings.ts'
import { problemOf, shownText } from './use-settings.ts'

interface SectionProps {
  readonly name: SectionName
  readonly editor: SettingsEditor
  readonly only?: (key: OptionKey) => boolean
  readonly isInner?: boolean
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

/**
 * A group of options as a form. Only what was changed is saved; what the server refuses is said at its field and
 * stays as typed, the rest is stored all the same. `only` leaves out the options that were not looked for.
 *
 * Every key that is typed makes a new editor. A section and an option are rendered again only when the key was theirs.
 */
export const OptionSection = memo(function OptionSection(props: SectionProps) {
  const { t } = useTranslation()
  const { name, editor, only } = props
  const keys = keysOf(name)
  const shown = only ? keys.filter(only) : keys
  const unsaved = changesOf(keys, editor.drafts, editor.options)
  const note = useRef<HTMLInputElement>(null)
  return (
    <Section
      id={name}
      title={t(`settings.section_${name}`)}
      isInner={props.isInner ?? false}
      isBusy={editor.saving === name}
      unsaved={unsaved.length}
      onSave={() => editor.save(name, note.current?.value.trim() ?? '')}
      actions={
        <>
          {props.actions}
          <HistoryButton name={name} />
          {unsaved.some(({ key }) => !isPriceKey(key)) ? (
            <Input
              ref={note}
              size="sm"
              flex="1 1 200px"
              maxW="360px"
              maxLength={NOTE_CHARACTERS}
              aria-label={t('settings.noteOf', { title: t(`settings.section_${name}`) })}
              placeholder={t('settings.note')}
            />
          ) : null}
        </>
      }
    >
      <Grid
        gap="4"
        columnGap="6"
        templateColumns={{ base: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' }}
        alignItems="start"
      >
        {shown.map((key) => (
          <OptionCell key={key} name={name} optionKey={key} editor={editor} />
        ))}
      </Grid>
      {props.children}
    </Section>
  )
}, isSameSection)

function isSameSection(before: SectionProps, after: SectionProps): boolean {
  const { name, editor } = after
  return (
    before.name === name &&
    before.only === after.only &&
    before.actions === after.actions &&
    before.children === after.children &&
    (before.editor.saving === name) === (editor.saving === name) &&
    keysOf(name).every((optionKey) =>
      isSameCell({ name, optionKey, editor: before.editor }, { name, optionKey, editor }),
    )
  )
}

/** The server keeps no longer reasons. */
const NOTE_CHARACTERS = 500

/** Opens the list of the section's changes, which is fetched only then. */
function HistoryButton({ name }: { name: SectionName }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const title = t(`settings.section_${name}`)
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('settings.historyOf', { title })}
        onClick={() => setOpen(true)}
      >
        <History size={14} aria-hidden />
        {t('settings.history')}
      </Button>
      {isOpen ? (
        <Suspense>
          <SectionHistory name={name} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

const SectionHistory = lazy(() => import('./history.tsx'))

const WIDE: ReadonlySet<string> = new Set(['lines', 'page', 'table', 'domains'])

interface CellProps {
  readonly name: SectionName
  readonly optionKey: OptionKey
  readonly editor: SettingsEditor
}

const OptionCell = memo(function OptionCell(props: CellProps) {
  const { name, optionKey: key, editor } = props
  const server = clientAddress(useStatus())
  const spec = specOf(key)
  const problem = problemOf(editor, name, key)
  return (
    <Box minW="0" {...(WIDE.has(spec.kind) ? { gridColumn: '1 / -1' } : {})}>
      <OptionInput
        optionKey={key}
        text={shownText(editor, key)}
        problem={problem && problem.type !== 'json' ? problem.type : null}
        isTyped={editor.drafts[key] !== undefined}
        refusal={editor.refused[key]}
        server={server}
        onChange={editor.set}
      />
      <Marks optionKey={key} editor={editor} />
    </Box>
  )
}, isSameCell)

function isSameCell(before: CellProps, after: CellProps): boolean {
  const { name, optionKey: key } = after
  const [old, now] = [before.editor, after.editor]
  return (
    before.optionKey === key &&
    old.options === now.options &&
    old.drafts[key] === now.drafts[key] &&
    old.refused[key] === now.refused[key] &&
    old.checked.has(name) === now.checked.has(name)
  )
}

/** Under an option: that it is not saved yet, with a way back; that it is not the default, with a way there. */
function Marks({ optionKey: key, editor }: { optionKey: OptionKey; editor: SettingsEditor }) {
  const { t } = useTranslation()
  const spec = specOf(key)
  const stored = storedText(key, editor.options)
  const draft = editor.drafts[key]
  const isUnsaved = draft !== undefined && !isSameText(spec, draft, stored)
  const defaults = useQuery(defaultsQuery).data
  const isOther = isOffDefault(key, draft ?? stored, defaults)
  const last = useQuery(lastChangesQuery).data?.get(key)
  if (!isUnsaved && !isOther && !last) return null
  const label = labelOf(key, t)
  const initial = initialOf(key, defaults) ?? ''
  const usual = shortText(key, initial, t)
  return (
    <Flex columnGap="2" wrap="wrap" align="center" mt="1" fontSize="xs" color="fg.muted">
      {isUnsaved ? (
        <>
          <Box as="span" color="fg.warning">
            {t('settings.unsaved')}
          </Box>
          <Button
            size="2xs"
            variant="ghost"
            aria-label={t('settings.undoOf', { name: label })}
            onClick={() => editor.undo(key)}
          >
            {t('settings.undo')}
          </Button>
        </>
      ) : null}
      {isOther ? (
        <>
          <span>
            {usual === null
              ? t('settings.isChanged')
              : t('settings.isChangedFrom', { value: usual })}
          </span>
          <Button
            size="2xs"
            variant="ghost"
            aria-label={t('settings.resetOf', { name: label })}
            onClick={() => editor.set(key, initial)}
          >
            {t('settings.reset')}
          </Button>
        </>
      ) : null}
      {last ? (
        <Box flexBasis="full" overflowWrap="anywhere">
          {t('settings.changedBy', { name: last.username || '–', time: dateTime(last.changed_at) })}
          {last.note ? ` · ${last.note}` : ''}
        </Box>
      ) : null}
    </Flex>
  )
}
