import { Ellipsis } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Permission } from '#contract/permissions.ts'
import { useCan } from '#web/api/session.ts'
import { type Question, runIfConfirmed } from '#web/ui/confirm.tsx'
import { Menu, MenuItem } from '#web/ui/menu.tsx'

export type RowAction = {
  text: string
  /** Permission without which the entry is hidden. */
  needs?: Permission
  do?: () => unknown
  renderDialog?: (close: () => void) => ReactNode
  isDangerous?: boolean
  /** Set apart by a divider. */
  isApart?: boolean
  asks?: Omit<Question, 'destructive'>
  /** Reason that disables the entry. */
  disabledBecause?: string | false
}

/** Menu of a row; destructive entries come last. */
export function RowMenu({ label, actions }: { label: string; actions: (RowAction | false)[] }) {
  const [opened, setOpened] = useState<RowAction | null>(null)
  const can = useCan()
  const present = actions.flatMap((action) => (action && (!action.needs || can(action.needs)) ? [action] : []))
  if (present.length === 0) return null

  function start(action: RowAction) {
    const { do: act = () => setOpened(action), asks, isDangerous } = action
    if (asks) runIfConfirmed({ ...asks, destructive: isDangerous }, act)
    else void act()
  }

  return (
    <>
      <Menu
        aria-label={`Actions for ${label}`}
        label={<Ellipsis className="size-4.5" />}
        className="ml-auto grid size-10 place-items-center rounded-md text-muted hover:bg-accent-soft hover:text-ink"
      >
        {present.map((action, place) => (
          <Fragment key={action.text}>
            {action.isApart && place > 0 && <hr className="mx-2 my-1.5 border-line" />}
            <MenuItem
              isDangerous={action.isDangerous}
              disabledBecause={action.disabledBecause}
              onClick={() => start(action)}
            >
              {action.text}
            </MenuItem>
          </Fragment>
        ))}
      </Menu>
      {/* Rendered outside of the table, so that its styles do not apply to dialogs. */}
      {opened &&
        createPortal(
          opened.renderDialog?.(() => setOpened(null)),
          document.body,
        )}
    </>
  )
}
