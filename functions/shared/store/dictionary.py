"""What zlib is told beforehand of the texts that it packs (packing): a fifth of a record is always the same.

A body begins with the number of the dictionary that it was packed with. So a dictionary that was ever in use stays
here as it is, to the last byte; a better one goes to the end.
"""

_FIRST = (
    '"turn","hand","ended","fined","reason":"deck-empty","max-turns","deck-short","banks":[["2h","3c","4d","5s","6h",'
    '"7c","8d","9s","Th","Jc","Qd","Ks","Ah","X1","X2"],"banked",0,{"from":"bank","cards":1,"of":0},"shown",0,{"cards'
    '":["Ts","5h","Jc"],"role":"honest","free","liar","lying":false,true},"banked",0,{"from":"hand","cards":3},"","",'
    '0,0,{},[],{}],"banked",0,{"from":"deck","cards":1},"","",0,0,{},[],{}],"turn",0,{"number":10,"deck":1},"","",0,0'
    ',{"hands":[{"seat":0,"cards":["Ts","5h","Jc"]},{"seat":1,"cards":[""trust",0,{"seat":0},"accuse",0,{"seat":1},"p'
    'layer",""straight-flush","three-of-a-kind","straight","flush","pair","high-card","declare",0,{"hand":"high-card"'
    ',"remarks":[{"seat":0,"hand":"pair"},{"seat":1,"hand":"high-card"},{"seat":2,"hand":"flush"}]},"player",""payout'
    '",null,{"round":1,"alpha":[1,2],"beta":[3,4],"seen":[[5,6,7],[8,9,10]],"winners":[0,1],"calls":[0,0],"fines":[0,'
    '0],"bonuses":[0,0],"debts":[0,0],"stacks":[40,40],"bank":0},"","",0,0,{},[],{}],"fold",0,{},"call",1,{},"swap",0'
    ',{"swap":false},true},"raise",0,{"chips":1},"player","","raising","swapping","calling","prayer",null,{"winner":"'
    'leftover","agreement",null,{"face_down":2},"","",0,0,{},[],{}],"conflict",null,{"from_round":1,"taken":[2,0],"ca'
    'rds":[["2c","3h"]]},"","",0,0,{},[],{}],"equal"},"lower"},"play",0,{"claim":"higher"},"player","",1,0,{"card":"K'
    'c"},[0],{}],"play",1,{"claim":"lower"},"player","",2,0,{"card":"2h"},[1],{}],"settled",null,{"round":1,"bidder":'
    '0,"found":4,"holds":true,"net":[1,-1],"serials":["00000000","11111111"]},"","",0,0,{},[],{}],"stand","challenge"'
    ',1,{},"player","bid",0,{"count":1,"digit":0},"player","",1,0,{},[],{}],"left",0,{"reason":"abandoned","timeout",'
    '"forfeit","resigned"},"resign",0,{},"clock","bot","random","house","bot-1","House bot 1",1500,"house""finished",'
    'null,{"reason":"played","ranks":[1,2],"scores":[1,-1]},"aborted","unseated","paused","resumed",{"from":17,"until'
    '":17},{"match":{"id":"mat_01K","game":"micro-poker","half-deck-poker","misfortune","liars-poker","rules_version"'
    ':1,"options":{},"clock":["none",["fischer",["byo-yomi",0,"forfeit",["per-move",60,"default-action",0,0,0,0],["pe'
    'r-move",259200,"default-action",0,0,0,0],"key":"","created_at":17,"seats":[["ply_01K","",1500,"","","",0,0,true,'
    '18,60000,0],["ply_01K","",1500,"","","",0,0,false,0,259200000,0]],"status":"aborted","open","finished","active",'
    '"started_at":17,"ended_at":0,"turn":1,"opened_at":17,"seals":[],"moves":1,"state":[1,0,["put_away":0,"log":[[17,'
    '0,"joined",0,{"player":"ply_01K"},"","",0,0,{},[],{}],[17,0,"started",null,{},"","",0,0,{},[],{}],[17,0,0,{},[],'
    '{}]],"result":null,"pauses":[],"host":0},"rated":false,true,"private":true,false,"join_code":"","invited":[],"ra'
    'ting_range":null,"talk":false,true,"expires_at":17,"rematch":"","reserved":[],"settled":true,false,"parts":[[1,1'
    "],[]]}"
)
"""Texts of all four games' records. What stands near the end is cheapest to point at."""

DICTIONARIES = (_FIRST.encode(),)
