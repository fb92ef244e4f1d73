import { Button, Dialog, Portal } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../parts/fields.tsx'
import { tagChannels, useChannelChange } from './mutations.ts'
import { Form } from '../../parts/form/form.tsx'

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
    <Dialog.Root open size="sm" onOpenChange={(details) => !details.open && onClose()}>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="3">
          <Dialog.Content asChild>
            <Form onSubmit={submit}>
              <Dialog.Header pb="2">
                <Dialog.Title>{t('channels.tagTitle', { n: ids.length })}</Dialog.Title>
              </Dialog.Header>
              <Dialog.Body>
                <TextField
                  label={t('channels.tag')}
                  value={tag}
                  onChange={setTag}
                  error={isChecked && tag.trim() === '' ? t('channels.tagMissing') : undefined}
                />
              </Dialog.Body>
              <Dialog.Footer>
                <Button size="sm" variant="outline" onClick={onClose}>
                  {t('action.cancel')}
                </Button>
                <Button size="sm" type="submit" loading={save.isPending}>
                  {t('action.save')}
                </Button>
              </Dialog.Footer>
            </Form>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}
