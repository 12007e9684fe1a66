/**
 * Everything stored with an account except secrets: no hashes, no exchange keys. Data that merely shares the email
 * address (a contact message, the newsletter, emails before its proof) is left out: typing an address doesn't prove
 * it's yours.
 */
export async function collectMyData(
  rooms: { dataOf(userId: string): Promise<object> }[],
  userId: string,
): Promise<Record<string, unknown>> {
  const data = {}
  for (const room of rooms) Object.assign(data, await room.dataOf(userId))
  return data
}
