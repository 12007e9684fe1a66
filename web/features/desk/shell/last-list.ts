let address = '/admin/users'

/** The list someone came from, with its search and filters: where “Back” leads. */
export const lastList = () => address

export function rememberList(pathname: string, search: string) {
  address = pathname + search
}
