import { Box, Button, Dialog, Image, Portal, Stack, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStatus } from '../core/status.ts'
import { FormError } from './auth-card.tsx'
import { TextField } from './fields.tsx'
import { Form } from './form/form.tsx'

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
    <Dialog.Root
      size="xs"
      open
      initialFocusEl={() => document.querySelector<HTMLElement>('#wechat-form input')}
      onOpenChange={(details) => !details.open && props.onClose()}
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="3">
          <Dialog.Content>
            <Dialog.Header pb="2">
              <Dialog.Title>{props.title}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body>
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
                    error={
                      isChecked && code.trim() === '' ? t('provider.wechatCodeMissing') : undefined
                    }
                  />
                </Stack>
              </Form>
            </Dialog.Body>
            <Dialog.Footer>
              <Button size="sm" variant="outline" onClick={props.onClose}>
                {t('action.cancel')}
              </Button>
              <Button size="sm" type="submit" form="wechat-form" loading={props.isBusy}>
                {props.submitLabel}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  )
}
