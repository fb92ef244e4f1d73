import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CancelButton, DialogFrame } from '../../parts/dialog-frame.tsx'
import { TextField } from '../../parts/fields.tsx'
import { Form } from '../../parts/form/form.tsx'
import { tagChannels, useChannelChange } from './mutations.ts'

/** Puts one tag on several channels. */
export function TagDialog({
  ids,
  onDone,
  onClose,
}: {
  ids: readonly number[]
  onDone: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [tag, setTag] = useState('')
  const [isChecked, setChecked] = useState(false)
  const save = useChannelChange(tagChannels, onDone)
  const submit = () => {
    setChecked(true)
    if (tag.trim() !== '') save.mutate({ ids, tag: tag.trim() })
  }
  return (
    <DialogFrame
      title={t('channels.tagTitle', { n: ids.length })}
      focusedForm="tag-form"
      actions={
        <>
          <CancelButton onClick={onClose} />
          <BusyButton size="sm" type="submit" form="tag-form" isBusy={save.isPending}>
            {t('action.save')}
          </BusyButton>
        </>
      }
      onClose={onClose}
    >
      <Form id="tag-form" onSubmit={submit}>
        <TextField
          label={t('channels.tag')}
          value={tag}
          onChange={setTag}
          error={isChecked && tag.trim() === '' ? t('channels.tagMissing') : undefined}
        />
      </Form>
    </DialogFrame>
  )
}
