/** The passwords that everybody tries first, of six characters and more, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  123456 123456789 12345678 password qwerty123 qwerty1 111111 1234567 123123 1234567890 000000 abc123
  password1 iloveyou qwerty qwertyuiop 654321 555555 lovely 7777777 welcome 888888 princess dragon 123qwe
  sunshine 666666 football monkey charlie aa123456 donald letmein shadow master 1q2w3e4r 1qaz2wsx 987654321
  121212 trustno1 superman 1q2w3e 1q2w3e4r5t zaq12wsx zxcvbnm asdfghjkl asdfgh asdf1234 qazwsx qazwsxedc
  michael jennifer jordan hunter ranger buster soccer harley batman andrew tigger robert access thomas
  daniel jessica pepper joshua killer george andrea 112233 131313 232323 696969 777777 999999 11111111
  00000000 22222222 33333333 44444444 55555555 66666666 77777777 88888888 99999999 12341234 123123123 123321
  147258 147258369 159357 159753 789456 789456123 456789 246810 102030 010203 112358 314159 987654
  9876543210 0987654321 012345 0123456789 01234567 1234554321 123654 123654789 11223344 1122334455 12121212
  13131313 1111111111 123456a 123456aa a123456 a1234567 a12345678 a123456789 12345a 123abc abc12345 abcd1234
  abcdef abcdefg abcdefgh abcdefghi abc123456 1234abcd q1w2e3r4 q1w2e3r4t5 q1w2e3 1q2w3e4r5t6y 1qazxsw2
  zaq1zaq1 zaq1xsw2 zxcvbn zxcvbnm1 zxcv1234 asdasd asd123 asdasdasd asdfasdf asdfghjk qweasd qweasdzxc
  qweqwe qwe123 qwer1234 qwerasdf qwerty12 qwerty1234 qwerty12345 qwertyui qwertz qwertzuiop azerty
  azertyuiop azerty123 poiuytrewq mnbvcxz lkjhgfdsa passw0rd p@ssw0rd p@ssword pa55word pa55w0rd passwort
  password12 password123 password1234 password12345 password2 password! password1! passwords pass1234
  pass12345 pass123 passpass mypassword thepassword nopassword newpassword yourpassword changeme changeit
  change123 letmein1 letmein123 letmein! welcome1 welcome12 welcome123 welcome1! welcome! hello123 hello1234
  hellohello helloworld login123 loginlogin admin123 admin1234 admin12345 administrator adminadmin root1234
  rootroot toor1234 test1234 test12345 testtest testing testing123 test123 guest123 guestguest user1234
  user123 default1 secret secret123 secret1 qwerty! iloveyou1 iloveyou2 iloveyou! iloveu loveme lovelove
  loveyou ilovegod jesus1 jesus123 jesuschrist blessed blessed1 god1234 heaven angel1 angel123 angels
  princess1 prince babygirl babygirl1 babyboy sweetheart sweety honey123 sunshine1 sunflower summer summer1
  summer123 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 summer2026 winter winter1
  winter123 winter2023 winter2024 winter2025 winter2026 spring2024 spring2025 spring2026 autumn2024
  autumn2025 autumn2026 monday friday friday13 january february september october november december
  football1 football123 soccer1 soccer12 baseball baseball1 basketball hockey hockey1 tennis golfer golf1234
  yankees cowboys steelers lakers chelsea chelsea1 arsenal arsenal1 liverpool liverpool1 manchester manutd
  barcelona realmadrid juventus superman1 batman1 batman123 spiderman ironman starwars starwars1 pokemon
  pokemon1 naruto naruto1 minecraft fortnite roblox dragon1 dragon123 dragonball monkey1 monkey123 charlie1
  michael1 michelle jessica1 jennifer1 ashley ashley1 amanda nicole nicole1 daniel1 jordan1 jordan23 anthony
  matthew joshua1 andrew1 william samantha elizabeth alexander alexandra christian christina stephanie
  patrick richard victoria veronica natasha vanessa melissa danielle rebecca rachel hannah lauren shadow1
  shadow123 master1 master123 mustang mustang1 corvette ferrari mercedes porsche harley1 yamaha ducati
  camaro maverick cheese cheese1 chocolate cookie cookie1 cookies banana orange apple123 butterfly flower
  flowers flower1 rainbow rainbow1 diamond silver purple yellow pepper1 ginger ginger1 tigger1 buster1
  bailey maggie sophie daisy123 molly123 buddy123 oliver hunter1 hunter2 killer1 ranger1 phoenix phoenix1
  merlin gandalf matrix matrix1 mickey snoopy scooby garfield winnie whatever whatever1 nothing freedom
  freedom1 forever forever1 family family1 friends friends1 mother father brother sister computer computer1
  internet google google123 facebook samsung samsung1 android iphone apple1 windows windows10 microsoft
  linux123 letmeinnow trustno1! fuckyou fuckyou1 fuckyou2 asshole biteme bigdog bigdaddy money123 money1
  rockyou rockstar rock1234 blink182 metallica nirvana eminem 50cent slipknot linkinpark greenday beatles
  happy123 happy1 smile123 lucky123 lucky7 ncc1701 thx1138 bond007 james007 007007 agent007 america england
  germany france canada london london1 newyork texas1 dallas chicago australia brazil mexico india123
  pakistan indonesia thailand vietnam123 bitcoin bitcoin1 ethereum crypto123 trading trading1 trading123
  trader123 tradingview stocks123 invest123 rebound rebound1 sigma123 reboundsigma indicator zxcvbnm123
  zxc123 zxczxc 1234qwer 12qwaszx 12345qwert 123qweasd 123qwe123 123qweasdzxc 1qaz2wsx3edc 1qaz@wsx !qaz2wsx
  q1w2e3r4t5y6 aaaaaa aaaaaaaa aaaaaaa1 abababab qqqqqq qqqqqqqq zzzzzz zzzzzzzz xxxxxx xxxxxxxx 12345678a
  123456789a 123456q 123456789q 987654321a a1b2c3 a1b2c3d4 a1s2d3f4 aa12345678 abcabc abc123abc 159159
  258456 258258 147147 147852 147852369 963852741 741852963 852456 951753 753951 123789 124578 135790
  1357924680 2468101214 020202 090909 101010 10101010 111222 111222333 112211 123000 123123a 123456123
  1234560 1234561 12345611 123456abc 123456qwerty 12344321 123454321 1234512345 1236987 123698745 124356
  127127 134679 134679852 142536 159951 181818 191919 192837 192837465 202020 20202020 212121 252525 303030
  333333 343434 369369 444444 454545 456123 456456 505050 525252 535353 565656 585858 606060 676767 686868
  707070 717171 747474 757575 767676 787878 789789 797979 808080 818181 828282 858585 868686 878787 898989
  909090 919191 929292 949494 959595 969696 979797 989898
`
    .trim()
    .split(/\s+/),
)
