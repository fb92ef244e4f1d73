import { Button, Dialog, Portal, Textarea } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { useManualCopy } from '../parts/clipboard.ts'

/** Shows a text that could not be copied, selected, for copying by hand. */
export function ManualCopyDialog() {
  const { t } = useTranslation()
  const [text, close] = useManualCopy()
  if (text === null) return null
  return (
    <Dialog.Root open size="sm" onOpenChange={(details) => !details.open && close()}>
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="3">
          <Dialog.Content>
            <Dialog.Header pb="2">
              <Dialog.Title>{t('copy.manually')}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body>
              <Textarea
                readOnly
                rows={4}
                value={text}
                fontFamily="mono"
                aria-label={t('copy.manually')}
                onFocus={(event) => event.target.select()}
              />
            </Dialog.Body>
            <Dialog.Footer>
              <Button size="sm" onClick={close}>
                {t('action.close')}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}
