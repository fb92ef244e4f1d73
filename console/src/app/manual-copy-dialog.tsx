import { Button, Dialog, Portal, Textarea } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'

/** Shows a text that could not be copied, selected, for copying by hand. */
export default function ManualCopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog.Root open size="sm" onOpenChange={(details) => !details.open && onClose()}>
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
              <Button size="sm" onClick={onClose}>
                {t('action.close')}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}
