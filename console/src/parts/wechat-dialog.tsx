import { Box, Image, Stack, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../core/status.ts'
import { FormError } from './auth-card.tsx'
import { BusyButton } from './busy-button.tsx'
import { TextField } from './fields.tsx'
import { Form } from './form/form.tsx'
import { CancelButton, DialogFrame } from './dialog-frame.tsx'

/** Shows the operator's WeChat account to scan and asks for the code that it sends, which is good for three minutes. */
export function WeChatDialog(props: {
  title: string
  submitLabel: string
  isBusy: boolean
  error: Error | null
  onCode: (code: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const picture = useStatus()?.wechat_qrcode ?? ''
  const [code, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const submit = () => {
    setChecked(true)
    if (code.trim() !== '') props.onCode(code.trim())
  }
  return (
    <DialogFrame
      title={props.title}
      size="xs"
      focusedForm="wechat-form"
      actions={
        <>
          <CancelButton onClick={props.onClose} />
          <BusyButton size="sm" type="submit" form="wechat-form" isBusy={props.isBusy}>
            {props.submitLabel}
          </BusyButton>
        </>
      }
      onClose={props.onClose}
    >
      <Form id="wechat-form" onSubmit={submit}>
        <Stack gap="4">
          {picture ? (
            <Box bg="white" p="2" borderRadius="l2" alignSelf="center">
              <Image src={picture} alt={t('provider.wechatPicture')} boxSize="200px" />
            </Box>
          ) : null}
          <Text>{t('provider.wechatScan')}</Text>
          <FormError error={props.error} />
          <TextField
            label={t('provider.wechatCode')}
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
            error={isChecked && code.trim() === '' ? t('provider.wechatCodeMissing') : undefined}
          />
        </Stack>
      </Form>
    </DialogFrame>
  )
}
