import { Button } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DialogFrame } from './dialog-frame.tsx'

/** Says or shows something that is only to be closed; `isAlert` where it interrupts what somebody wanted to do. */
export function NoticeDialog(props: {
  title: string
  isAlert?: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <DialogFrame
      title={props.title}
      isAlert={props.isAlert ?? false}
      actions={
        <Button size="sm" onClick={props.onClose}>
          {t('action.close')}
        </Button>
      }
      onClose={props.onClose}
    >
      {props.children}
    </DialogFrame>
  )
}
