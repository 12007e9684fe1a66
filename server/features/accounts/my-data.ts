/**
 * Everything the shop keeps with an account, but no secret: neither hashes nor exchange keys. What only carries the
 * same e-mail address (a contact message, the newsletter) stays out: a typed address is not proof of who one is.
 */
export async function collectMyData(
  rooms: { dataOf(userId: string): Promise<object> }[],
  userId: string,
): Promise<Record<string, unknown>> {
  const data = {}
  for (const room of rooms) Object.assign(data, await room.dataOf(userId))
  return data
}
