/** Run or read something in the browser, or show what it holds as a page. */
const inBrowsers =
  'javascript livescript mocha vbscript data file blob about filesystem view-source feed jar mhtml cid mid resource chrome edge devtools';

/** Everybody's: mail, calls, other protocols, shops, and what systems open with their own programs. A code would go to anybody. */
const elsewhere =
  'mailto tel sms smsto mms callto facetime facetime-audio sip sips xmpp im pres geo maps magnet urn news nntp irc ircs ' +
  'ws wss ftp ftps sftp tftp gopher telnet rlogin ssh git svn rsync smb cifs nfs afp dav ldap ldaps imap pop rtsp rtmp dict ' +
  'webcal calshow market itms itms-apps itms-services intent android-app content shell hcp help res search search-ms ' +
  'ms-msdt ms-settings ms-officecmd ms-word ms-excel ms-powerpoint ms-access ms-visio ms-its ms-help ms-cxh ms-search jnlp';

const taken = new Set([...inBrowsers.split(' '), ...elsewhere.split(' ')].map((scheme) => `${scheme}:`));

/**
 * RFC 8252 §7.1 recommends names in reverse (`com.example.app:`), but applications of one word are in use, such as editors; so
 * what already means something else is refused, and the rest passes.
 */
export const isPrivateUse = (protocol: string): boolean => !taken.has(protocol);
