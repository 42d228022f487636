// watch: .p, x
const a = b
++a.p
f
x++
let y = a
delete a.p
;[a.p] = [1]
if (a) a.p++
else --a.p
do a.p++
while (a.p < 3)
--x
