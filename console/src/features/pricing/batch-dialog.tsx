import { Button, Stack, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../parts/fields.tsx'
import { labelOf } from './price-labels.ts'
import type { EntryMode, PriceDraft } from './price-draft.ts'
import {
  CACHE_FIELD_NAMES,
  type CacheField,
  draftProblems,
  EMPTY_DRAFT,
  withField,
} from './price-draft.ts'
import { Form } from '../../parts/form/form.tsx'
import { useGuarded, useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { CancelButton, DialogFrame } from '../../parts/dialog-frame.tsx'

/** Sets the same price for several models at once; the drafts still have to be saved. */
export function BatchDialog(props: {
  count: number
  mode: EntryMode
  /** With the prices of cached input: an empty one stays as it is. */
  showsCache: boolean
  /** Whether the editor behind it asks on leaving, so that nobody is asked twice. */
  isAskedBehind: () => boolean
  onApply: (draft: PriceDraft) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [draft, setDraft] = useState<PriceDraft>({ ...EMPTY_DRAFT, mode: props.mode })
  const [isChecked, setChecked] = useState(false)
  const caches = CACHE_FIELD_NAMES.filter((field) => (draft.caches?.[field] ?? '') !== '')
  const isEmpty =
    draft.call === '' && draft.input === '' && draft.output === '' && caches.length === 0
  const guard = useLeaveGuard(useGuarded(!isEmpty), props.isAskedBehind)
  const close = () => guard.ask(props.onClose)
  const isWrong = isEmpty || Object.keys(draftProblems(draft)).length > 0
  const apply = () => {
    setChecked(true)
    if (!isWrong) props.onApply(draft)
  }
  return (
    <DialogFrame
      title={t('pricing.batchTitle', { n: props.count })}
      focusedForm="batch-form"
      actions={
        <>
          <CancelButton onClick={close} />
          <Button size="sm" type="submit" form="batch-form">
            {t('pricing.apply')}
          </Button>
        </>
      }
      onClose={close}
    >
      <Form id="batch-form" onSubmit={apply}>
        <Stack gap="3">
          <Text color="fg.muted">{t('pricing.batchHelp')}</Text>
          {(['call', 'input', 'output'] as const).map((field) => (
            <TextField
              key={field}
              label={t(`pricing.${labelOf(field, props.mode)}`)}
              inputMode="decimal"
              isDisabled={field !== 'call' && draft.call !== ''}
              value={draft[field]}
              onChange={(text) => setDraft((old) => ({ ...old, [field]: text.trim() }))}
            />
          ))}
          {props.showsCache
            ? CACHE_FIELD_NAMES.map((field) => (
                <TextField
                  key={field}
                  label={t(`pricing.${labelOf(field, props.mode)}`)}
                  help={t('pricing.batchCacheHelp')}
                  inputMode="decimal"
                  isDisabled={draft.call !== ''}
                  value={draft.caches?.[field] ?? ''}
                  onChange={(text) => setDraft((old) => withCache(old, field, text.trim()))}
                />
              ))
            : null}
          {isChecked && isWrong ? (
            <Text role="alert" color="fg.error">
              {t('pricing.batchWrong')}
            </Text>
          ) : null}
        </Stack>
      </Form>
      {guard.dialog}
    </DialogFrame>
  )
}

/** A cleared field of cached input is one that nobody typed in. */
function withCache(draft: PriceDraft, field: CacheField, text: string): PriceDraft {
  if (text !== '') return withField(draft, field, text)
  const { [field]: _cleared, ...caches } = draft.caches ?? {}
  return { ...draft, caches }
}
