import { Image, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../../core/status.ts'
import { NoticeDialog } from '../../parts/notice-dialog.tsx'

/** Says that the account has no balance and whom to turn to: the operator's picture, when there is one (decision 34). */
export function ContactDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const image = useStatus()?.contact_image_url
  return (
    <NoticeDialog title={t('tokens.noBalanceTitle')} isAlert onClose={onClose}>
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
    </NoticeDialog>
  )
}
