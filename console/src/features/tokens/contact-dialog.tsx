import { Button, Dialog, Image, Portal, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../../app/status.ts'

/** Says that the account has no balance and whom to turn to: the operator's picture, when there is one (decision 34). */
export function ContactDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const image = useStatus()?.contact_image_url
  return (
    <Dialog.Root
      role="alertdialog"
      size="sm"
      open
      onOpenChange={(details) => !details.open && onClose()}
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="3">
          <Dialog.Content>
            <Dialog.Header pb="2">
              <Dialog.Title>{t('tokens.noBalanceTitle')}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body>
              <Text>{t('tokens.noBalanceDetail')}</Text>
              {image ? (
                <Image
                  src={image}
                  alt={t('tokens.contactImage')}
                  mt="4"
                  mx="auto"
                  maxW="full"
                  maxH="320px"
                  objectFit="contain"
                />
              ) : null}
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
